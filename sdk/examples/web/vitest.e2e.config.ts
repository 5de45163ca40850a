import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** End to end: the example in Chromium, the real server and its database. `npm run e2e -w svc-example-web`. */
export default defineConfig({
  test: {
    name: 'e2e',
    root: path('.'),
    include: ['test/**/*.e2e.ts'],
    globalSetup: path('./test/setup.ts'),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
