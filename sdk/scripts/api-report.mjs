// Writes down everything that an app can reach of each public package, into its api.md, or checks that the reports
// are fresh: a change of the API is then a change that a review sees.
//
//   node scripts/api-report.mjs [--write] [folder …]      default: every workspace that is not private

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const withoutExtension = (file) => file.replace(/\.tsx?$/, '');

/** The source files behind the entries that a package exports, by the name that an app imports. */
function entriesOf(folder, { name, exports }) {
  return Object.keys(exports)
    .filter((key) => !key.endsWith('.json') && key !== './internal')
    .map((key) => {
      const stem = join(folder, 'src', key === '.' ? 'index' : key.slice(2));
      const file = [`${stem}.ts`, `${stem}.tsx`].find(existsSync);
      if (!file) throw new Error(`${name} exports ${key}, but there is no ${relative(workspace, stem)}.ts`);
      return { name: key === '.' ? name : `${name}${key.slice(1)}`, file };
    });
}

function optionsOf(folder) {
  const file = join(folder, 'tsconfig.json');
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile);
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  return ts.parseJsonConfigFileContent(config, ts.sys, folder).options;
}

/** The declarations of all sources that the entries reach, by path; comments are the sources' business. */
function declarationsOf(files, options) {
  const emitted = new Map();
  const program = ts.createProgram(files, {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    removeComments: true,
  });
  program.emit(undefined, (name, text) => emitted.set(resolve(name), text), undefined, true);
  return emitted;
}

/** A program of the declarations alone, in which no implementation can be found. */
function declarationProgram(files, options, emitted) {
  const paths = Object.fromEntries(
    Object.entries(options.paths ?? {}).map(([name, targets]) => [name, targets.map(withoutExtension)]),
  );
  const final = { ...options, paths };
  const host = ts.createCompilerHost(final);
  const { fileExists, readFile, getSourceFile } = host;
  const isImplementation = (file) =>
    emitted.has(resolve(file.replace(/(\.d)?\.tsx?$/, '.d.ts'))) && !emitted.has(resolve(file));
  host.fileExists = (file) => emitted.has(resolve(file)) || (!isImplementation(file) && fileExists(file));
  host.readFile = (file) => emitted.get(resolve(file)) ?? readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const text = emitted.get(resolve(file));
    return text === undefined ? getSourceFile.call(host, file, ...rest) : ts.createSourceFile(file, text, ...rest);
  };
  return ts.createProgram(
    files.map((file) => `${withoutExtension(file)}.d.ts`),
    final,
    host,
  );
}

const printer = ts.createPrinter({ removeComments: true });

/** Has the printer put literal types on one line, from where the formatter breaks what is too long. */
function onOneLine(node) {
  if (ts.isTypeLiteralNode(node) || ts.isMappedTypeNode(node)) ts.setEmitFlags(node, ts.EmitFlags.SingleLine);
  ts.forEachChild(node, onOneLine);
}

const WIDTH = 120;
// What the formatter gives a line each: members and parameters (those of classes keep their lines), arms of unions.
const MEMBERS = /(?<=^(?:interface|type|function) .*[{(]\n)(?: {2}\S.*[;,]\n)+|(?: {4}\S.*[;,]\n)+/gm;
const ARMS = /(?: {2}\| .*\n)+/g;
const BLOCK = /^(?:interface|class) .*\{\n(?: {2}\S.*\n)+\}$/gm;

/** The same with as many on a line as there is room for. */
function filled(lines) {
  const out = [''];
  for (const line of lines.trimEnd().split('\n')) {
    const longer = `${out.at(-1)} ${line.trimStart()}`;
    if (out.at(-1) === '' || longer.length > WIDTH) out.push(line);
    else out[out.length - 1] = longer;
  }
  return `${out.slice(1).join('\n')}\n`;
}

function onOneLineIfShort(block) {
  const line = block.replace(/;\n\}$/, ' }').replace(/\n */g, ' ');
  return line.length > WIDTH ? block : line;
}

/** Declarations below each other, as dense as they can be read: the report is a list, not a source. */
function codeBlock(declarations) {
  const biome = join(workspace, 'node_modules/.bin/biome');
  const input = `${declarations.join('\n')}\n`;
  const options = { cwd: workspace, encoding: 'utf8', input };
  const text = execFileSync(biome, ['format', '--stdin-file-path=api.d.ts'], options);
  const dense = text.replace(MEMBERS, filled).replace(ARMS, filled).replace(BLOCK, onOneLineIfShort);
  return `\`\`\`ts\n${dense}\`\`\``;
}

const isPrivate = (member) =>
  (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0 ||
  ts.isPrivateIdentifier(member.name ?? member);

/** A class without what nobody outside of it reaches. */
function withoutPrivateMembers(node) {
  if (!ts.isClassDeclaration(node)) return node;
  const { modifiers, name, typeParameters, heritageClauses, members } = node;
  const kept = members.filter((member) => !isPrivate(member));
  return ts.factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, kept);
}

/** The declaration without the words that say where it stands. */
function printed(node) {
  const statement = withoutPrivateMembers(ts.isVariableDeclaration(node) ? node.parent.parent : node);
  onOneLine(statement);
  const text = printer.printNode(ts.EmitHint.Unspecified, statement, node.getSourceFile());
  return text.replace(/^(export |default |declare )+/, '');
}

/** Whether a declaration is generated: its source, which a review sees as well, says the same in other words. */
const isGenerated = (node) => /\.gen\.d\.ts$/.test(node.getSourceFile().fileName);

/** A sentence that names what has no declaration in the report. */
const list = (what, names) => (names.length > 0 ? [`${what}: ${names.map((name) => `\`${name}\``).join(', ')}.`] : []);

/** Whether a declaration belongs to the report: it is the package's own or comes along with it. */
function isOwn(node, folders) {
  return folders.some((folder) => !relative(folder, node.getSourceFile().fileName).startsWith('..'));
}

function report(folder) {
  const manifest = readJson(join(folder, 'package.json'));
  const entries = entriesOf(folder, manifest);
  const files = entries.map(({ file }) => file);
  const options = optionsOf(folder);
  const program = declarationProgram(files, options, declarationsOf(files, options));
  const checker = program.getTypeChecker();
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

  // What a package takes from another public one stands in the report of that one.
  const published = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]);
  const own = publicAndPrivate()
    .filter(({ manifest: { name } }) => !published.has(name))
    .map(({ folder: path }) => join(path, 'src'));

  const sections = [];
  for (const { name, file } of entries) {
    const source = program.getSourceFile(`${withoutExtension(file)}.d.ts`);
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
    const lines = [];
    const seen = new Set();
    const reached = [];
    const collect = (node) => {
      if (ts.isIdentifier(node)) {
        const symbol = checker.getSymbolAtLocation(node);
        if (symbol) reached.push(target(symbol));
      }
      ts.forEachChild(node, collect);
    };
    const foreign = [];
    const generated = [];
    for (const symbol of [...exported].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const real = target(symbol);
      seen.add(real);
      const declarations = (real.declarations ?? []).filter((node) => isOwn(node, own));
      if (declarations.length === 0) foreign.push(symbol.name);
      if (declarations.some(isGenerated)) generated.push(symbol.name);
      else
        for (const node of declarations) {
          lines.push(printed(node));
          collect(node);
        }
    }
    const hidden = [];
    for (let symbol = reached.pop(); symbol; symbol = reached.pop()) {
      if (seen.has(symbol)) continue;
      seen.add(symbol);
      for (const node of symbol.declarations ?? []) {
        const isDeclaration = ts.isStatement(node) || ts.isVariableDeclaration(node);
        const isTop = ts.isSourceFile(node.parent) || ts.isVariableDeclaration(node);
        if (!isDeclaration || !isTop || !isOwn(node, own) || isGenerated(node)) continue;
        hidden.push(printed(node));
        collect(node);
      }
    }
    sections.push(`## ${name}\n\n${codeBlock(lines)}`);
    sections.push(...list('Generated types', generated), ...list('From other packages', foreign));
    if (hidden.length > 0)
      sections.push(`Reached through these, without a name of their own:\n\n${codeBlock(hidden.sort())}`);
  }
  return `<!-- Written by \`npm run api -- --write\`. Do not edit. -->\n\n# API of ${manifest.name}\n\n${sections.join('\n\n')}\n`;
}

function publicAndPrivate() {
  return readJson(join(workspace, 'package.json')).workspaces.map((path) => {
    const folder = join(workspace, path);
    return { folder, manifest: readJson(join(folder, 'package.json')) };
  });
}

const [...parts] = process.argv.slice(2);
const write = parts.includes('--write');
const named = parts.filter((part) => !part.startsWith('--')).map((part) => resolve(part));
const folders =
  named.length > 0
    ? named
    : publicAndPrivate()
        .filter(({ manifest }) => !manifest.private)
        .map(({ folder }) => folder);

let stale = false;
for (const folder of folders) {
  const file = join(folder, 'api.md');
  const text = report(folder);
  const shown = relative(workspace, file);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) console.log(`${shown} is fresh`);
  else if (write) {
    writeFileSync(file, text);
    console.log(`${shown} is written`);
  } else {
    stale = true;
    console.error(`${shown} does not say what the package exports; look at the change and run: npm run api -- --write`);
  }
}
process.exit(stale ? 1 : 0);
