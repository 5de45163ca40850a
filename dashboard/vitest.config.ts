import { defineConfig } from 'vitest/config';

// Tests that read all sources, or try thousands of steps, take seconds: more than vitest's five on a busy machine.
export default defineConfig({ test: { include: ['src/**/*.test.ts'], environment: 'node', testTimeout: 30_000 } });
