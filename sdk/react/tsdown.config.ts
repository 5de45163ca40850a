import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/server.ts', 'src/testing.tsx'],
  format: 'esm',
  platform: 'browser',
  target: 'es2020',
  dts: true,
  fixedExtension: false,
});
