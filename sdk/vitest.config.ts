import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Without this, two processors have one worker; the tests in browsers wait half of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { test: { name: 'core', root: './core', include: ['test/**/*.test.ts'], environment: 'node' } },
      { test: { name: 'script', root: './script', include: ['test/**/*.test.ts'], environment: 'jsdom' } },
      './openfeature/vitest.config.ts',
      './react/vitest.config.ts',
      './react/vitest.react-18.config.ts',
      './native/vitest.config.ts',
      './native/vitest.yoga.config.ts',
    ],
  },
});
