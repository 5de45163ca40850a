import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('./page'),
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
  build: {
    rolldownOptions: {
      input: { main: path('./page/index.html'), hydrate: path('./page/hydrate.tsx') },
      // Tests ask for parts, and hold them back, by these names.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: ({ facadeModuleId }) =>
          `${facadeModuleId?.includes('libphonenumber') ? 'libphonenumber-' : ''}[name].js`,
      },
    },
  },
});
