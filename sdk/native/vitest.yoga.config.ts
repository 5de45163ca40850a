import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Native modules of which the layout engine needs to know no more than that they draw a view. */
const DRAWN = /^(react-native-reanimated|@react-native-community\/datetimepicker|.*\/host\/drawn-modules)$/;

/** The layers under Yoga, the engine that lays out on phones: a browser agrees with it only in most things. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '@svc/core/internal', replacement: path('../core/src/internal.ts') },
      { find: '@svc/core', replacement: path('../core/src/index.ts') },
      { find: '@svc/react-core', replacement: path('../react-core/src/index.ts') },
      { find: /^react-native$/, replacement: path('./test/yoga/react-native.ts') },
      { find: DRAWN, replacement: path('./test/yoga/modules.ts') },
    ],
    // The web's renderer is drawn beside the native one, by the same React.
    dedupe: ['react', 'react-dom'],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    name: 'native-yoga',
    root: path('.'),
    include: ['test/yoga/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
  },
});
