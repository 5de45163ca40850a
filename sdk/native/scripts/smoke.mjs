// Packs what is published, installs it into an empty folder and uses it as apps do: the two example apps, type-checked,
// bundled by Metro for Android and iOS and compiled to bytecode; and the jest presets of the packages. What an app
// brings along itself is found in the workspace above the folder.
//
// Each flavour is bundled a second time as an app without a single one of its optional peers.
//
//   node scripts/smoke.mjs
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PUBLISHED = ['core', 'expo', 'react-native'];
const APPS = ['expo', 'bare'];
/** What every app installs. They are optional to npm alone, which refuses them beside pre-releases of React Native. */
const ALWAYS = ['react-native-reanimated', 'react-native-worklets'];
const PRIVATE = /@svc\/(native|react-core)\b/;

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const smoke = join(workspace, '.smoke');
const bin = (name) => join(workspace, 'node_modules/.bin', name);
const run = (cwd, command, ...parts) => execFileSync(command, parts, { cwd, encoding: 'utf8' });

/** Packs a package and returns the tarball's name. */
function pack(name) {
  const [{ filename, files }] = JSON.parse(
    run(smoke, 'npm', 'pack', join(workspace, name), '--json', '--ignore-scripts'),
  );
  const strange = files.filter(({ path }) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path));
  if (strange.length > 0) throw new Error(`${name} packs ${strange.map(({ path }) => path).join(', ')}`);
  return filename;
}

/** Nothing that is installed may ask for a package that is not published. */
function checkInstalled(name) {
  const folder = join(smoke, 'node_modules/@svc', name);
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(join(folder, 'dist'))
    // Source maps hold the sources as they were written.
    .filter((file) => !file.endsWith('.map'))
    .map((file) => [file, readFileSync(join(folder, 'dist', file), 'utf8')]);
  const found = [
    ...Object.keys({ ...dependencies, ...peerDependencies }).filter((dependency) => PRIVATE.test(dependency)),
    ...files
      .filter(([, text]) => /(from|require\(|import\()\s*['"]@svc\/(native|react-core)/.test(text))
      .map(([file]) => file),
  ];
  if (found.length > 0) throw new Error(`@svc/${name} needs a private package: ${found.join(', ')}`);
}

const packageOf = (app) => (app === 'bare' ? 'react-native' : app);

/** What the README of an app's flavour shows of TypeScript, the tests among it or they alone. */
function shownCode(app, only = '') {
  const readme = readFileSync(join(workspace, packageOf(app), 'README.md'), 'utf8');
  const shown = [...readme.matchAll(/^```tsx( test)?\n([\s\S]*?)^```$/gm)].filter(([, kind = '']) =>
    kind.endsWith(only),
  );
  if (shown.length === 0) throw new Error(`the README of ${packageOf(app)} shows no code`);
  return shown.map(([, , code]) => code);
}

/** An example as an app of its own, at the same depth below the workspace. */
function layOutApp(name) {
  const from = join(workspace, 'examples', name);
  const app = join(smoke, name);
  mkdirSync(app);
  for (const file of ['src', 'index.js', 'package.json', 'metro.config.js', 'babel.config.js', 'app.json']) {
    if (existsSync(join(from, file))) cpSync(join(from, file), join(app, file), { recursive: true });
  }
  const options = JSON.parse(readFileSync(join(from, 'tsconfig.json'), 'utf8'));
  delete options.compilerOptions.paths;
  options.compilerOptions.types = [...options.compilerOptions.types, 'jest'];
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ ...options, include: ['src', 'readme*.tsx'] }));
  for (const [index, code] of shownCode(name).entries()) writeFileSync(join(app, `readme-${index}.tsx`), code);
  return app;
}

/** The example as an app that has installed only what it must: no optional peer can be found. */
function layOutLeanApp(name, flavour) {
  const app = join(smoke, `${name}-lean`);
  cpSync(join(smoke, name), app, { recursive: true });
  const { peerDependenciesMeta } = JSON.parse(readFileSync(join(workspace, packageOf(name), 'package.json'), 'utf8'));
  // `expo` brings along what it needs itself, under names that apps may install too.
  const { dependencies: broughtAlong } = JSON.parse(
    readFileSync(join(workspace, 'node_modules/expo/package.json'), 'utf8'),
  );
  const absent = Object.keys(peerDependenciesMeta)
    .filter((peer) => !ALWAYS.includes(peer))
    .filter((peer) => name === 'bare' || !(peer in broughtAlong));
  renameSync(join(app, 'metro.config.js'), join(app, 'metro.full.js'));
  writeFileSync(
    join(app, 'metro.config.js'),
    `const config = require('./metro.full.js');
const absent = new RegExp('/node_modules/(' + ${JSON.stringify(absent.join('|'))} + ')/');
config.resolver.blockList = [config.resolver.blockList ?? [], absent].flat();
module.exports = config;\n`,
  );
  writeFileSync(
    join(app, 'index.js'),
    `import { createElement } from 'react';
import { AppRegistry } from 'react-native';
import { Flow, SvcProvider } from '${flavour}';

const App = () =>
  createElement(SvcProvider, { config: { publishableKey: 'ob_pk_test_k' } }, createElement(Flow, { channelId: 'c' }));
AppRegistry.registerComponent('main', () => App);\n`,
  );
  rmSync(join(app, 'src'), { recursive: true });
  return app;
}

/** Each flavour under its own preset; where an app has a file of Babel's, a test has to say which. */
const JEST = {
  projects: PUBLISHED.filter((name) => name !== 'core').map((name) => ({
    displayName: name,
    preset: `@svc/${name}`,
    testMatch: [`<rootDir>/${name}*.test.{js,tsx}`],
    // The first test of a cold cache compiles React Native while it waits.
    setupFilesAfterEnv: ['<rootDir>/patience.js'],
    transform: { '^.+\\.[jt]sx?$': ['babel-jest', { configFile: join(workspace, 'native/babel.config.cjs') }] },
  })),
  testTimeout: 120_000,
};

const jestTest = (flavour, other) => `
const React = require('react');
const { render } = require('@testing-library/react-native');

test('${flavour} is imported and drawn as it was packed', () => {
  const { LayerRenderer, SvcProvider, Flow } = require('${flavour}');
  expect(require.resolve('${flavour}')).toContain('.smoke');
  expect([typeof SvcProvider, typeof Flow]).toEqual(['function', 'function']);
  const text = { id: 'lyr_t', kind: 'text', text: { default: 'Hello from a package' } };
  const body = { id: 'lyr_b', kind: 'stack', direction: 'vertical', children: [text] };
  const first = { id: 'scr_a', name: 'a', regions: { body }, next: { default: null } };
  const manifest = { flowId: 'f', version: 1, defaultLocale: 'en', locales: ['en'], entryScreenId: 'scr_a', screens: [first] };
  const { getByText } = render(React.createElement(LayerRenderer, { manifest, screen: first, locale: 'en', theme: 'light', mediaMap: {} }));
  expect(getByText('Hello from a package')).toBeTruthy();
});

test('the other flavour beside it is refused by an error that names both', () => {
  expect(() => require('${other}')).toThrow(/@svc\\/expo.*@svc\\/react-native|@svc\\/react-native.*@svc\\/expo/);
});
`;

rmSync(smoke, { recursive: true, force: true });
mkdirSync(smoke);
try {
  const tarballs = PUBLISHED.map((name) => [`@svc/${name}`, `file:./${pack(name)}`]);
  const dependencies = Object.fromEntries(tarballs);
  writeFileSync(join(smoke, 'package.json'), JSON.stringify({ name: 'svc-smoke', private: true, dependencies }));
  run(smoke, 'npm', 'install', '--prefer-offline', '--legacy-peer-deps', '--no-audit', '--no-fund', '--ignore-scripts');
  for (const name of PUBLISHED) checkInstalled(name);

  cpSync(join(workspace, 'examples/service.cjs'), join(smoke, 'service.cjs'));
  cpSync(join(workspace, 'examples/export.mjs'), join(smoke, 'export.mjs'));
  const apps = APPS.map(layOutApp);
  for (const app of apps) run(app, bin('tsc'), '--noEmit', '-p', 'tsconfig.json');
  console.log('packed, installed and type-checked');

  writeFileSync(join(smoke, 'jest.config.json'), JSON.stringify(JEST));
  writeFileSync(
    join(smoke, 'patience.js'),
    "require('@testing-library/react-native').configure({ asyncUtilTimeout: 60_000 });\n",
  );
  writeFileSync(join(smoke, 'expo.test.js'), jestTest('@svc/expo', '@svc/react-native'));
  writeFileSync(join(smoke, 'react-native.test.js'), jestTest('@svc/react-native', '@svc/expo'));
  for (const app of APPS) {
    const [test] = shownCode(app, 'test');
    writeFileSync(join(smoke, `${packageOf(app)}-readme.test.tsx`), test);
  }
  execFileSync(bin('jest'), ['--config', 'jest.config.json', '--runInBand'], { cwd: smoke, stdio: 'inherit' });

  const bundle = (app) => promisify(execFile)(process.execPath, ['../export.mjs'], { cwd: app });
  const lean = [layOutLeanApp('expo', '@svc/expo'), layOutLeanApp('bare', '@svc/react-native')];
  for (const pair of [apps, lean]) {
    for (const { stdout } of await Promise.all(pair.map(bundle))) process.stdout.write(stdout);
  }
} finally {
  rmSync(smoke, { recursive: true, force: true });
}
