import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      '@svc/core/internal': path('../core/src/internal.ts'),
      '@svc/core': path('../core/src/index.ts'),
      '@svc/react-core': path('../react-core/src/index.ts'),
      // The README's example imports what apps do.
      '@svc/react/edit': path('./src/edit.tsx'),
      '@svc/react/testing': path('./src/testing.tsx'),
      '@svc/react': path('./src/index.ts'),
    },
    // The workspace's root holds the React of React Native, this package the newest one.
    dedupe: ['react', 'react-dom'],
  },
  test: {
    name: 'react',
    root: path('.'),
    include: ['test/**/*.test.{ts,tsx}'],
    environment: 'node',
    globalSetup: path('./test/browser/global-setup.ts'),
    testTimeout: 120_000,
  },
});
