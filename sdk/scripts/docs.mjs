// Compiles the TypeScript of ../docs/sdk and of the packages' READMEs against the built packages, each page on its own. A
// snippet whose first line is a comment with a path is the file of that path. Tests of READMEs are run elsewhere.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..');
const pages = join(workspace, '..', 'docs', 'sdk');
const target = join(workspace, '.docs');

rmSync(target, { recursive: true, force: true });
const shown = readdirSync(pages)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name: name.replace(/\.md$/, ''), text: readFileSync(join(pages, name), 'utf8') }));
for (const name of ['react', 'expo', 'react-native', 'openfeature'])
  shown.push({ name: `readme-${name}`, text: readFileSync(join(workspace, name, 'README.md'), 'utf8') });
let snippets = 0;
for (const { name: page, text } of shown) {
  for (const [, language, code] of text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)) {
    snippets++;
    const named = /^\/\/ (\S+\.(?:d\.)?tsx?)\n/.exec(code);
    const file = join(target, page, named ? named[1] : `snippet-${snippets}.${language}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}
if (snippets < 15) throw new Error(`the pages have ${snippets} snippets`);

// Nobody learns a name from the documentation that the next release takes away.
const sources = ['core', 'react-core', 'react', 'native', 'expo', 'react-native'].map((name) => join(workspace, name));
const deprecated = sources
  .flatMap((source) => readdirSync(join(source, 'src'), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .flatMap((text) => [
    ...text.matchAll(/@deprecated(?:(?!\*\/)[\s\S])*\*\/\s*export (?:function|const|type|interface) (\w+)/g),
  ])
  .map(([, name]) => name);
if (deprecated.length === 0) throw new Error('no deprecated name was found in the sources');
const readmes = sources.map((source) => join(source, 'README.md')).filter((path) => existsSync(path));
for (const path of [...readdirSync(pages).map((name) => join(pages, name)), ...readmes]) {
  const text = readFileSync(path, 'utf8');
  for (const name of deprecated)
    if (new RegExp(`\\b${name}\\b`).test(text)) throw new Error(`${path} names ${name}, which is deprecated`);
}

// What the snippets use and the workspace does not install.
writeFileSync(
  join(target, 'ambient.d.ts'),
  `declare module 'next/headers' {
  export function cookies(): Promise<{ get(name: string): { value: string } | undefined }>;
}
`,
);
const pagesWithCode = readdirSync(target, { withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const { name } of pagesWithCode) {
  const project = join(target, name, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        noEmit: true,
        noUnusedLocals: false,
        jsx: 'react-jsx',
        types: ['react', 'node'],
        allowUmdGlobalAccess: true,
      },
      include: ['.', '../ambient.d.ts'],
    }),
  );
  execFileSync('npx', ['tsc', '-p', project], { cwd: workspace, stdio: 'inherit' });
}
console.log(`${snippets} snippets of ${pagesWithCode.length} pages compile`);
