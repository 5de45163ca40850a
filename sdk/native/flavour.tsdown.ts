import { defineConfig, type UserConfig } from 'tsdown';

const REQUIRE = '__svc_require__';

/** Code of which every line stays where it is, so that source maps hold as they are. */
const unmapped = (code: string) => ({ code, map: null });

type Plugin = Extract<NonNullable<UserConfig['plugins']>, { name: string }>;

/**
 * Leaves `require('literal')` as it is written. Metro finds optional modules by it, in a `try` block; the bundler would
 * put a function of its own in its place, which Metro cannot read.
 */
function keepRequires(): Plugin {
  return {
    name: 'svc:keep-requires',
    transform: (code: string) =>
      code.includes('require(') ? unmapped(code.replace(/\brequire\((?=['"])/g, `${REQUIRE}(`)) : null,
    renderChunk: (code: string) => unmapped(code.replaceAll(REQUIRE, 'require')),
  };
}

/**
 * A CommonJS file loads lazy modules with `require`, too: a jest without flags cannot run `import()` in it, and some
 * packages have no other entry.
 */
function requireLazily(): Plugin {
  return {
    name: 'svc:require-lazily',
    renderChunk: (code: string, _chunk: unknown, { format }: { format: string }) =>
      format === 'cjs'
        ? unmapped(code.replace(/\bimport\((['"][^'"]+['"])\)/g, 'Promise.resolve().then(() => require($1))'))
        : null,
  };
}

/** How both flavours are built: what is private goes along, code and types; what an app installs itself stays out. */
const common: UserConfig = {
  platform: 'neutral',
  // Hermes is the oldest engine that runs this code.
  target: 'es2020',
  dts: { resolve: ['@svc/native', '@svc/react-core'] },
  sourcemap: true,
  deps: { onlyBundle: [] },
  fixedExtension: true,
  plugins: [keepRequires(), requireLazily()],
};

export const flavour = defineConfig([
  { ...common, entry: ['src/index.ts', 'src/testing.tsx'], format: ['esm', 'cjs'] },
  // Run by jest, which only knows CommonJS in set-up files; no app imports them.
  { ...common, entry: ['src/jest-setup.ts', 'src/jest-preset.ts'], format: ['cjs'], clean: false },
]);
