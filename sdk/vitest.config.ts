import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** No test is about its own pace: how long thousands of drawn cases take depends on what else the machine does. */
const testTimeout = 60_000;

export default defineConfig({
  test: {
    // Without this, two processors have one worker; the tests in browsers wait half of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { test: { name: 'core', root: './core', include: ['test/**/*.test.ts'], environment: 'node', testTimeout } },
      { test: { name: 'script', root: './script', include: ['test/**/*.test.ts'], environment: 'jsdom', testTimeout } },
      './openfeature/vitest.config.ts',
      './react/vitest.config.ts',
      './react/vitest.react-18.config.ts',
      './native/vitest.config.ts',
      './native/vitest.yoga.config.ts',
    ],
  },
});
