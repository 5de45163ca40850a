import { defineConfig, type UserConfig } from 'tsdown';

const shared: UserConfig = {
  format: 'esm',
  platform: 'browser',
  target: 'es2020',
  // Types and code of the private package go along; an app cannot install it.
  dts: { resolve: ['@svc/react-core'] },
  fixedExtension: false,
  sourcemap: true,
};

// An app's bundler adds a hash of its own; one here would only make its list of parts longer.
const chunkFileNames = '[name].js';

export default defineConfig([
  {
    ...shared,
    entry: ['src/index.ts', 'src/server.ts', 'src/testing.tsx'],
    outputOptions: {
      chunkFileNames,
      // In a file of its own it goes where bundlers find it used: into the part that an app loads for a payment.
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: 'payment', test: /src\/payment\/(payment|return-url)\.ts$/ }],
      },
    },
  },
  {
    ...shared,
    // With a renderer of its own: one that it shared would cut what apps load into more files, which compress worse.
    entry: ['src/edit.tsx'],
    outDir: 'dist/edit',
    clean: false,
    outputOptions: { chunkFileNames },
    plugins: [
      {
        name: 'shared-icons',
        resolveId: (source) =>
          source.endsWith('/shards/index.gen') ? { id: '../index.gen.js', external: true } : undefined,
      },
    ],
  },
]);
