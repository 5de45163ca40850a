// Writes main.ts with everything it needs as one script for Hermes: node bundle.mjs <file>

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import ts from 'typescript';

const here = dirname(fileURLToPath(import.meta.url));
const workspace = join(here, '../../..');

const build = await rolldown({
  input: join(here, 'main.ts'),
  resolve: {
    alias: {
      '@svc/core': join(workspace, 'core/src/index.ts'),
      '@svc/react-core': join(workspace, 'react-core/src/index.ts'),
      'react-native': join(here, 'react-native.ts'),
    },
  },
  plugins: [
    {
      name: 'without-native-modules',
      // What is not there throws when it is called, as an absent module does when it is required.
      transform: (code) => code.replace(/\brequire\((?=['"])/g, 'globalThis.requireAbsent('),
    },
  ],
});
const { output } = await build.generate({ format: 'iife', codeSplitting: false });
// Metro lowers classes and async functions for Hermes; so does this.
const { outputText } = ts.transpileModule(output[0].code, {
  compilerOptions: { target: ts.ScriptTarget.ES5, downlevelIteration: true, ignoreDeprecations: '6.0' },
});
writeFileSync(process.argv[2], outputText);
