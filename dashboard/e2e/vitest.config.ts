import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    globalSetup: 'e2e/seed.ts',
    testTimeout: 300_000,
    hookTimeout: 180_000,
    // Each file has a server and a browser of its own, and waits for them half of the time.
    maxWorkers: 2,
    expect: { poll: { timeout: 30_000 } },
  },
});
