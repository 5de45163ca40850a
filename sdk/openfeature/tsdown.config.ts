import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/web.ts', 'src/server.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  fixedExtension: true,
});
