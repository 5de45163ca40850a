import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// The server of `make dev`: pages come from Vite, data from a running server.
const server = process.env.SVC_SERVER ?? 'http://127.0.0.1:4000';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Every style sheet begins with the order of the cascade's layers: which of them loads first depends on the page. */
const orderLayers: Plugin = {
  name: 'order-layers',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = `@layer reset,mantine,app,paper;${file.source}`;
    }
  },
};

// Documents that draw or run flows do it with the sources of the SDK. What those import is this package's, so that there is
// one React and the SDK need not be installed.
export const resolve = {
  alias: {
    '@svc/core/internal': path('../sdk/core/src/internal.ts'),
    // Not an entry of the package: as one it would make what apps load larger.
    '@svc/core/run': path('../sdk/core/src/run/flow-run.ts'),
    '@svc/core': path('../sdk/core/src/index.ts'),
    '@svc/react-core': path('../sdk/react-core/src/index.ts'),
    // Nor are these: apps load the icons that their screens show.
    '@svc/react/icons': path('../sdk/react/src/icons'),
    '@svc/react/edit': path('../sdk/react/src/edit.tsx'),
    '@svc/react': path('../sdk/react/src/index.ts'),
    'd3-color': path('src/editor/graph/d3-color.ts'),
  },
  dedupe: ['react', 'react-dom', 'libphonenumber-js', 'lottie-web'],
};

export default defineConfig({
  plugins: [react(), orderLayers],
  resolve,
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    target: 'es2022',
    // A data: font would break the page's content policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: ['index', 'preview', 'canvas', 'run', 'try'].map((name) => path(`${name}.html`)),
      // What libraries wrap and nobody uses is left out.
      treeshake: { manualPureFunctions: ['memo', 'forwardRef', 'createContext'] },
    },
  },
  server: {
    fs: { allow: ['..'] }, // the SDK's sources, and manifests to begin a flow with
    proxy: Object.fromEntries(['/graphql', '/media', '/v1', '/setup', '/welcome'].map((path) => [path, server])),
  },
});
