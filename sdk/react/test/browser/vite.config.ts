import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('./page'),
  cacheDir: path('../../node_modules/.vite-browser'),
  logLevel: 'warn',
  resolve: {
    alias: {
      '@svc/core/internal': path('../../../core/src/internal.ts'),
      '@svc/core': path('../../../core/src/index.ts'),
      '@svc/react-core': path('../../../react-core/src/index.ts'),
    },
    dedupe: ['react', 'react-dom'],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  server: { port: 0, host: '127.0.0.1', fs: { allow: [path('../../..')] } },
  optimizeDeps: { include: ['react', 'react-dom/client', 'react/jsx-dev-runtime', 'libphonenumber-js/min'] },
});
