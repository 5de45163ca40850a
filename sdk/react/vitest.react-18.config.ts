import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const oldest = path('../test/react-18/node_modules');

/** The tests of what depends on React's behavior, again under the oldest version that is supported. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '@svc/core/internal', replacement: path('../core/src/internal.ts') },
      { find: '@svc/core', replacement: path('../core/src/index.ts') },
      { find: '@svc/react-core', replacement: path('../react-core/src/index.ts') },
      { find: /^react(\/.*)?$/, replacement: `${oldest}/react$1` },
      { find: /^react-dom(\/.*)?$/, replacement: `${oldest}/react-dom$1` },
    ],
  },
  test: {
    name: 'react-18',
    root: path('.'),
    include: [
      'test/react-version.test.tsx',
      'test/flow.test.tsx',
      'test/flow-view.test.tsx',
      'test/provider.test.tsx',
      'test/hydration.test.tsx',
      'test/server.test.tsx',
    ],
    environment: 'node',
    env: { VITEST_REACT_MAJOR: '18' },
    testTimeout: 30_000,
  },
});
