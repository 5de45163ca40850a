import { defineConfig } from 'vitest/config';
import { resolve } from './vite.config.ts';

export default defineConfig({
  resolve,
  // Tests that read all sources, or try thousands of steps, take seconds: more than vitest's five on a busy machine.
  test: { include: ['src/**/*.test.ts'], environment: 'node', testTimeout: 30_000 },
});
