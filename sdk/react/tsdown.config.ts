import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/server.ts', 'src/testing.tsx'],
  format: 'esm',
  platform: 'browser',
  target: 'es2020',
  // Types and code of the private package go along; an app cannot install it.
  dts: { resolve: ['@svc/react-core'] },
  fixedExtension: false,
  sourcemap: true,
  outputOptions: {
    // An app's bundler adds a hash of its own; one here would only make its list of parts longer.
    chunkFileNames: '[name].js',
    // In a file of its own it goes where bundlers find it used: into the part that an app loads for a payment.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: 'payment', test: /src\/payment\/(payment|return-url)\.ts$/ }],
    },
  },
});
