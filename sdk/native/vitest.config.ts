import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The renderer in a browser, by react-native-web. Everything else of this package is tested by jest. */
export default defineConfig({
  resolve: {
    alias: { '@svc/core/internal': path('../core/src/internal.ts'), '@svc/core': path('../core/src/index.ts') },
  },
  test: {
    name: 'native-browser',
    root: path('.'),
    include: ['test/browser/**/*.test.ts'],
    environment: 'node',
    globalSetup: path('./test/browser/global-setup.ts'),
    testTimeout: 60_000,
  },
});
