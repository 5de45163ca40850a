import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookUp } from '../../src/host/look-up';

const workspace = join(__dirname, '../../..');

interface Dependency {
  name: string;
  data: { isOptional?: boolean };
}

/** What Metro takes a file to need, with the settings of React Native and of Expo. */
function dependencies(file: string): Dependency[] {
  const { transformSync } = jest.requireActual<typeof import('@babel/core')>('@babel/core');
  const { default: collect } = jest.requireActual('metro/private/ModuleGraph/worker/collectDependencies');
  const transformed = transformSync(readFileSync(join(workspace, file), 'utf8'), {
    filename: file,
    presets: [jest.requireActual('@react-native/babel-preset')],
    babelrc: false,
    configFile: false,
    ast: true,
    code: false,
  });
  const options = {
    allowOptionalDependencies: true,
    dynamicRequires: 'reject',
    inlineableCalls: [],
    keepRequireNames: true,
  };
  return collect(transformed?.ast, { ...options, asyncRequireModulePath: 'async', dependencyMapName: null })
    .dependencies;
}

it.each([
  'native/src/host/optional-modules.ts',
  'native/src/host/drawn-modules.ts',
  'expo/src/modules.ts',
  'react-native/src/modules.ts',
])('Metro bundles %s where the packages are absent', (file) => {
  const required = dependencies(file).filter(({ name }) => !name.startsWith('.') && !name.startsWith('@svc/'));
  const requires = readFileSync(join(workspace, file), 'utf8').match(/require\('/g) ?? [];
  expect(required.length).toBe(requires.length);
  expect(required.length).toBeGreaterThan(1);
  expect(required.filter(({ data }) => !data.isOptional).map(({ name }) => name)).toEqual([]);
});

describe.each(['expo', 'react-native'])('the peers of %s', (flavour) => {
  const { peerDependencies, peerDependenciesMeta } = jest.requireActual<{
    peerDependencies: Record<string, string>;
    peerDependenciesMeta: Record<string, { optional?: boolean }>;
  }>(join(workspace, flavour, 'package.json'));
  const optional = Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional);
  // Optional to npm alone, which refuses them beside pre-releases of React Native: every app installs them.
  const always = ['react-native-reanimated', 'react-native-worklets'];
  const required = Object.keys(peerDependencies).filter((name) => !optional.includes(name) || always.includes(name));
  const readme = readFileSync(join(workspace, flavour, 'README.md'), 'utf8');

  it('that an app must have are those without which nothing is drawn', () => {
    const everywhere = ['react', 'react-native', ...always];
    expect(required).toEqual(flavour === 'expo' ? ['expo', ...everywhere] : everywhere);
    const command = readme.split('\n').find((line) => line.includes('install') && line.includes(always.join(' ')));
    expect(command).toBeDefined();
  });

  it('that it must have are all that a file imports outside of a look-up', () => {
    const sources = ['native/src', `${flavour}/src`].flatMap((folder) =>
      readdirSync(join(workspace, folder), { recursive: true, encoding: 'utf8' })
        // What Jest runs is in no app; it looks up what is installed itself.
        .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('jest-'))
        .map((file) => join(folder, file)),
    );
    const imported = sources
      .flatMap((file) => dependencies(file))
      .filter(({ name, data }) => !data.isOptional && !/^(\.|@svc\/|@babel\/|libphonenumber-js)/.test(name))
      .map(({ name }) => name.split('/')[0]);
    expect([...new Set(imported)].filter((name) => !required.includes(name as string))).toEqual([]);
    expect(imported).toContain('react-native-reanimated');
  });

  it('that it may leave out stand in the README with what needs them', () => {
    const left = optional.filter((name) => !always.includes(name));
    expect(left.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('a look-up', () => {
  const scope = globalThis as { ErrorUtils?: unknown };
  const before = scope.ErrorUtils;
  afterEach(() => {
    scope.ErrorUtils = before;
  });

  /** Loads a module as Metro does: what it throws goes to the handler of fatal errors, where there is one. */
  function metroRequire(factory: () => unknown): unknown {
    const handler = scope.ErrorUtils as { reportFatalError(error: unknown): void } | undefined;
    if (!handler) return factory();
    try {
      return factory();
    } catch (error) {
      handler.reportFatalError(error);
      return undefined;
    }
  }

  it('of a module that throws while it is loaded is no fatal error of the app', () => {
    const reportFatalError = jest.fn();
    const handler = { reportFatalError };
    scope.ErrorUtils = handler;
    const find = () => {
      try {
        return metroRequire(() => {
          throw new Error('not linked');
        });
      } catch {
        return null;
      }
    };
    expect(lookUp(find)).toBeNull();
    expect(reportFatalError).not.toHaveBeenCalled();
    expect(scope.ErrorUtils).toBe(handler);
    expect(() => lookUp(() => metroRequire(() => JSON.parse('{')))).toThrow();
    expect(scope.ErrorUtils).toBe(handler);
  });

  it('changes nothing where there is no handler', () => {
    delete scope.ErrorUtils;
    expect(lookUp(() => 1)).toBe(1);
    expect('ErrorUtils' in scope).toBe(false);
  });
});
