// The configuration that apps test with, read by Jest itself in Node.

declare const require: { (path: string): unknown; resolve(name: string, options?: { paths: string[] }): string };
declare const process: { cwd(): string };
declare const __dirname: string;

/** Options of Jest's configuration, by their names. */
export type JestPreset = Record<string, unknown>;

/** Packages that ship sources for Metro, by the start of their name; pnpm keeps all in a folder of its own. */
const TRANSFORMED = '/node_modules/(?!(?:\\.pnpm|@?react-native|@?expo|lottie-react-native)(?:[-/]|$))';

function find(preset: string): string | undefined {
  try {
    return require.resolve(`${preset}/jest-preset`, { paths: [process.cwd(), __dirname] });
  } catch {
    return undefined;
  }
}

/** The first of these presets that is installed, with the stand-ins for native modules after its own set-up. */
export function extendPreset(presets: readonly string[]): JestPreset {
  const path = presets.map(find).find((found) => found !== undefined);
  if (path === undefined) throw new Error(`Tests need ${presets.slice(0, 2).join(' or ')}: install one of them.`);
  const base = require(path) as { setupFiles?: string[] };
  return {
    ...base,
    setupFiles: [...(base.setupFiles ?? []), require.resolve('./jest-setup.cjs')],
    transformIgnorePatterns: [TRANSFORMED],
  };
}
