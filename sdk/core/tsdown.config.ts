import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // Hermes is the oldest engine that runs this code.
  target: 'es2020',
  dts: true,
  fixedExtension: true,
});
