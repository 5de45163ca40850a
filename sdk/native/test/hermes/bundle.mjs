// Writes a file of this folder with everything it needs as one script for Hermes: node bundle.mjs <script> <target>

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import ts from 'typescript';

const here = dirname(fileURLToPath(import.meta.url));
const workspace = join(here, '../../..');
const [script, target] = process.argv.slice(2);
const draws = script === 'draw.ts';

/** Native modules that are stood in for where layers are drawn, by what the tests under Yoga have for them. */
const DRAWN = /^(react-native-reanimated|@react-native-community\/datetimepicker|.*\/host\/drawn-modules)$/;
const standIn = (name) => join(here, '../yoga', name);

/** What the script finds as globals. */
function globals() {
  const example = readFileSync(join(workspace, '../manifest/examples/all-layers.json'), 'utf8');
  const media = [...example.matchAll(/"mediaAssetId":\s*"([^"]+)"/g)].map(([, id]) => [
    id,
    `https://cdn.example/${id}`,
  ]);
  return `var EXAMPLE = ${example};\nvar MEDIA = ${JSON.stringify(Object.fromEntries(media))};\n`;
}

const build = await rolldown({
  input: join(here, script),
  resolve: {
    alias: {
      '@svc/core/internal': join(workspace, 'core/src/internal.ts'),
      '@svc/core': join(workspace, 'core/src/index.ts'),
      '@svc/react-core': join(workspace, 'react-core/src/index.ts'),
      'react-native': draws ? standIn('react-native.ts') : join(here, 'react-native.ts'),
    },
  },
  // Stand-ins have what is used here of their modules.
  shimMissingExports: draws,
  // `act` is part of development builds only.
  transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  plugins: [
    {
      name: 'globals',
      // The package says that its files have no effects; this one has.
      resolveId: (name) => (name === './globals' ? { id: join(here, 'globals.ts'), moduleSideEffects: true } : null),
    },
    {
      name: 'stand-ins',
      resolveId: (name) => (draws && DRAWN.test(name) ? standIn('modules.ts') : null),
    },
    {
      name: 'without-native-modules',
      // What is not there throws when it is called, as an absent module does when it is required.
      transform: (code, id) =>
        id.includes('/node_modules/') ? null : code.replace(/\brequire\((?=['"])/g, 'globalThis.requireAbsent('),
    },
  ],
});
const { output } = await build.generate({ format: 'iife', codeSplitting: false });
// Metro lowers classes and async functions for Hermes; so does this.
const { outputText } = ts.transpileModule(output[0].code, {
  compilerOptions: { target: ts.ScriptTarget.ES5, downlevelIteration: true, ignoreDeprecations: '6.0' },
});
writeFileSync(target, draws ? globals() + outputText : outputText);
