import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

// People come from other analytics and delivery products and know their words: what the dashboard shows, the schema and
// the docs say it in those. Each pattern has what to say instead.
const top = fileURLToPath(new URL('../../..', import.meta.url));

const everywhere: [RegExp, string][] = [
  [/\b(colour|behaviour|favour|honour|recognis|organis|cancelled\b)/i, 'American spelling'],
  [/\be-mails?\b/i, 'email'],
  [/\barms?\b/i, 'variant'],
  [/\b(an? hit|hits)\b/i, 'event or pageview'],
  [/\b(enrols?|enrolments?|enrolled|enrolling)\b/i, 'enter, entry, add users'],
  [/\b(upkeep|sources? of money|ingest health)\b/i, 'maintenance, billing connection, data health'],
  [/\b(report|saved) frames\b|\bframes of\b/i, 'report cache'],
  [/\bmend(s|ed)?\b/i, 'fix'],
];
const shown: [RegExp, string][] = [
  [/^(Where|What|Who|Whose) (they|it|came|changed|messages|all|the)\b/, 'a noun: sources, pages, devices, audit log…'],
  [/^(Came back|Could have|It came|It did not|Under way|Way|Figures?|Before|Nowhere\.?)$/, 'retention, eligible, …'],
  [/\b(everybody|somebody)\b|\bnobody is\b/i, 'all users, a user, no user'],
  [/\bserved?\b.* (it|now|a version)$/i, 'publish to channel, set live version'],
  [/\b(period|range) (before|after)\b|same days last year/i, 'previous period, same period last year'],
  [
    /none of this|the way through|\bdry run\b|\brehears|\blapsed\b|\bsurface\b/i,
    'no data, funnel, test run, timed out, paywall',
  ],
  [/^(views|hits|events|revenue|messages|people) an? \w+$|\ba (minute|session|month)\b$/i, 'per session, per minute'],
];

/** What a source shows to people: words between tags, and texts with a space or a capital. */
function texts(path: string): string[] {
  const found: string[] = [];
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || (ts.isCallExpression(node) && /^graphql\b/.test(node.expression.getText())))
      return;
    const said =
      ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
        ? node.text
        : ts.isTemplateExpression(node)
          ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
          : '';
    if (/^[A-Z][a-z]|\s/.test(said.trim())) found.push(said.trim().replace(/\s+/g, ' '));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, kind));
  return found;
}

/** Prose without code: neither backquoted, nor fenced, nor in addresses and tags. */
const prose = (text: string) => text.replace(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)|<[^>\n]*>/g, '…');

/** Descriptions of a schema. Names of fields are on the wire. */
const descriptions = (sdl: string) => [...sdl.matchAll(/"""([\s\S]*?)"""/g)].map(([, text]) => prose(text!)).join('\n');

const offences = (path: string, lines: readonly string[], rules: readonly [RegExp, string][]) =>
  lines.flatMap((line) =>
    rules.flatMap(([pattern, say]) => (pattern.test(line) ? [`${path}: “${line.trim()}”: say ${say}`] : [])),
  );

/** Files of a folder by their ending, from the top. */
const files = (folder: string, ending: RegExp, recursive = false) =>
  readdirSync(top + folder, { recursive, encoding: 'utf8' })
    .map((name) => `${folder}${name}`)
    .filter((path) => ending.test(path) && !/node_modules|\.(test|gen)\.ts/.test(path));

test('the dashboard says what it shows in the words of the field', () => {
  const sources = files('dashboard/src/', /\.tsx?$/, true);
  expect(sources.length).toBeGreaterThan(200);
  expect(sources.flatMap((path) => offences(path, texts(top + path), [...everywhere, ...shown]))).toEqual([]);
});

/** Who uses an app is a user; `people` stays in names on the wire. */
const users: [RegExp, string][] = [[/\b(people|persons?)\b/i, 'user, visitor or member']];

test('so does the schema', () => {
  const schema = ['schema.graphql', ...files('resolvers/', /\.graphql$/)];
  expect(schema.length).toBeGreaterThan(15);
  const read = (path: string) => descriptions(readFileSync(top + path, 'utf8')).split('\n');
  expect(schema.flatMap((path) => offences(path, read(path), [...everywhere, ...users]))).toEqual([]);
});

test('so do the docs', () => {
  const docs = ['README.md', ...files('docs/', /\.md$/), ...files('docs/sdk/', /\.md$/)];
  expect(docs.length).toBeGreaterThan(20);
  const read = (path: string) => prose(readFileSync(top + path, 'utf8')).split('\n');
  expect(docs.flatMap((path) => offences(path, read(path), everywhere))).toEqual([]);
});

test('so does the help of the command line', () => {
  const commands = files('cmd/svc/', /\.go$/).filter((path) => !path.endsWith('_test.go'));
  expect(commands.length).toBeGreaterThan(30);
  const help = (path: string) =>
    [
      ...readFileSync(top + path, 'utf8').matchAll(
        /(?:short|long|usage|Short|Long):\s*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)/g,
      ),
    ].map(([, text]) => text!.replace(/svc people|people-behind/g, '…'));
  expect(commands.flatMap(help).length).toBeGreaterThan(150);
  expect(commands.flatMap((path) => offences(path, help(path), [...everywhere, ...users]))).toEqual([]);
});

/** Spelling and words of comments, errors and names in Go and in the SDKs. What is on the wire keeps its name. */
const written: [RegExp, string][] = [
  [/colour|behaviour|favour|honour|recognis|organis|initialis|normalis|serialis|labelled\b/i, 'American spelling'],
  [/\b(mend(s|ed)?|upkeep)\b/i, 'fix, maintenance'],
  [/rehears/i, 'test run'],
];
const onTheWire = /"[^"]*colou?r[^"]*"|'[^']*colou?r[^']*'|[Rr]ehears(al|edMessage)|aria-labelledby/g;

test('so do the sources of Go and of the SDKs', () => {
  const folders = readdirSync(top, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|bin$|dashboard$|docs$|ent$|graph$|sdk$)/.test(entry.name))
    .map((entry) => `${entry.name}/`);
  const go = folders.flatMap((folder) => files(folder, /\.go$/, true));
  const sdks = ['core', 'react-core', 'react', 'script', 'native'].flatMap((name) =>
    files(`sdk/${name}/src/`, /\.tsx?$/, true),
  );
  expect(go.length).toBeGreaterThan(500);
  expect(sdks.length).toBeGreaterThan(200);
  const read = (path: string) =>
    readFileSync(top + path, 'utf8')
      .replace(onTheWire, '…')
      .split('\n');
  expect([...go, ...sdks].flatMap((path) => offences(path, read(path), written))).toEqual([]);
});

/** Words that no file, component or package is named by. Names on the wire are in none of these. */
const names: [RegExp, string][] = [
  [/\b(arms?|served?)\b/i, 'variant, publish'],
  [/\b(ways?|upkeep|hits?|mend)\b/i, 'path, maintenance, event, fix'],
  [/\b(places|technology)\b(?! (route|dimension))/i, 'locations, devices'],
];
const words = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[-_./]/g, ' ');

test('so do names of files and components', () => {
  const sources = files('dashboard/src/', /\.(tsx?|css)$/, true).filter(
    (path) => !/^dashboard\/src\/(editor|explain)/.test(path),
  );
  const components = sources
    .filter((path) => path.endsWith('x'))
    .flatMap((path) => {
      const found = readFileSync(top + path, 'utf8').matchAll(/^(?:export )?(?:function|const) ([A-Z]\w+)/gm);
      return [...found].map(([, name]) => `${path.split('/').pop()} ${name}`);
    });
  expect(components.length).toBeGreaterThan(200);
  expect([...sources, ...components].flatMap((name) => offences(name, [words(name)], names))).toEqual([]);
});
