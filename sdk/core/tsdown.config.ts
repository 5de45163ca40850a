import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/internal.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // Hermes is the oldest engine that runs this code.
  target: 'es2020',
  dts: true,
  fixedExtension: true,
  outputOptions: {
    // In a file of its own it goes where bundlers find it used: into the part that an app loads for a payment.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: 'checkout', test: /src\/api\/checkout\.ts$/ }],
    },
  },
});
