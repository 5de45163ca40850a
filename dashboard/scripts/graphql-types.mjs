// Writes src/graphql/schema.gen.ts: the types of every operation and fragment that the sources write as
// graphql<'Name'>(`…`), checked against the schema of the server. With --check it only says whether the file is fresh.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildASTSchema, concatAST, Kind, parse, validate } from 'graphql';

const home = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(home, 'src/graphql/schema.gen.ts');

const schemaFiles = ['../schema.graphql', '../graph/ent.graphql'].concat(
  readdirSync(join(home, '../resolvers'))
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => `../resolvers/${name}`),
);
const schema = concatAST(schemaFiles.map((file) => parse(readFileSync(join(home, file), 'utf8'))));

/** Every `graphql<'Name'>(…)` of the sources, parsed. */
function documents() {
  const found = [];
  for (const entry of readdirSync(join(home, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.name.endsWith('.gen.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    for (const [, name, source] of readFileSync(path, 'utf8').matchAll(/graphql<'(\w+)'>\(\s*`([^`]*)`/g)) {
      const document = parse(source);
      const [definition] = document.definitions;
      if (document.definitions.length !== 1 || definition.name?.value !== name)
        throw new Error(`${relative(home, path)}: graphql<'${name}'> must hold one definition of that name`);
      found.push({ location: path, document });
    }
  }
  return found.sort((a, b) => a.location.localeCompare(b.location));
}

const found = documents();
const names = found.flatMap(({ document }) => document.definitions.map(({ name }) => name.value));
const twice = names.filter((name, i) => names.indexOf(name) !== i);
if (twice.length > 0) throw new Error(`written twice: ${twice.join(', ')}`);
const problems = validate(buildASTSchema(schema), concatAST(found.map(({ document }) => document))).filter(
  ({ message }) => !/is never used/.test(message),
);
if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));

const types = await codegen({
  filename: target,
  schema,
  documents: found,
  config: {},
  plugins: [
    {
      operations: {
        enumType: 'string-literal',
        skipTypename: true,
        omitOperationSuffix: true,
        fragmentSuffix: '',
        inlineFragmentTypes: 'combine',
        scalars: {
          ID: 'string',
          Time: 'string',
          Count64: 'number',
          USD: 'number',
          Figure: 'number',
          JSON: 'unknown',
          Upload: 'File',
          ChannelID: 'string',
        },
        strictScalars: true,
        documentMode: 'external',
      },
    },
  ],
  pluginMap: { operations },
});
const table = (kind) =>
  found
    .flatMap(({ document }) => document.definitions)
    .filter((definition) => definition.kind === kind)
    .map(({ name: { value } }) =>
      kind === Kind.FRAGMENT_DEFINITION
        ? `  ${value}: { data: ${value} };`
        : `  ${value}: { data: ${value}; variables: ${value}Variables };`,
    )
    .join('\n');
const text = `// Generated from the schema of the server by npm run generate.
${types.trim()}

/** Operations and fragments of the sources by name. */
export type Documents = {
${table(Kind.OPERATION_DEFINITION)}
${table(Kind.FRAGMENT_DEFINITION)}
};
`;
let current = '';
try {
  current = readFileSync(target, 'utf8');
} catch {}
if (current === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('src/graphql/schema.gen.ts is stale: run npm run generate in dashboard/ and commit');
  process.exit(1);
}
writeFileSync(target, text);
