import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// The server of `make dev`: pages come from Vite, data from a running server.
const server = process.env.SVC_SERVER ?? 'http://127.0.0.1:4000';

/** Every style sheet begins with the order of the cascade's layers: which of them loads first depends on the page. */
const orderLayers: Plugin = {
  name: 'order-layers',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = `@layer reset,mantine,app;${file.source}`;
    }
  },
};

export default defineConfig({
  plugins: [react(), orderLayers],
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    target: 'es2022',
    // A data: font would break the page's content policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: Object.fromEntries(['/graphql', '/media', '/v1', '/setup', '/welcome'].map((path) => [path, server])),
  },
});
