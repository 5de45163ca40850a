import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@svc/core': fileURLToPath(new URL('../core/src/index.ts', import.meta.url)) } },
  test: { name: 'openfeature', include: ['test/**/*.test.ts'], environment: 'node' },
});
