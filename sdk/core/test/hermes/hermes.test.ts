import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import ts from 'typescript';
import { expect, it } from 'vitest';

const here = dirname(fileURLToPath(import.meta.url));
const BINARIES: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux64-bin/hermes',
  darwin: 'osx-bin/hermes',
  win32: 'win64-bin/hermes.exe',
};

function hermes(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('hermes-engine-cli/package.json'));
  const binary = join(folder, BINARIES[process.platform] ?? '');
  if (!existsSync(binary)) throw new Error(`hermes-engine-cli has no binary for ${process.platform}`);
  return binary;
}

/** The core's own tests as one script, with the runner and the file system taken out. */
async function bundle(): Promise<string> {
  const files: Record<string, string> = {};
  const read = (name: string, file: string) => {
    files[name] = JSON.parse(JSON.stringify(readFileSync(file, 'utf8'))) as string;
  };
  const repository = join(here, '../../../..');
  for (const name of ['linear-onboarding', 'branching-onboarding', 'paywall-flow', 'all-layers']) {
    read(`manifest/examples/${name}.json`, join(repository, `manifest/examples/${name}.json`));
  }
  for (const name of [
    'attribution-keys',
    'bucketing',
    'etag',
    'locale',
    'readable-paths',
    'text-sizes',
    'web-attribution',
  ]) {
    read(`/vectors/${name}.json`, join(repository, `sdk/vectors/${name}.json`));
  }
  const build = await rolldown({
    input: join(here, 'main.ts'),
    // The package says that importing has no effects, which is not true of its tests.
    treeshake: false,
    plugins: [
      {
        name: 'without-node',
        resolveId: (id) => (id === 'vitest' ? join(here, 'vitest-shim.ts') : id === 'node:fs' ? '\0files' : null),
        load: (id) =>
          id === '\0files'
            ? `const files = ${JSON.stringify(files)};
               export function readFileSync(url) {
                 const name = Object.keys(files).find((key) => String(url.href ?? url).endsWith(key));
                 if (!name) throw new Error('not bundled: ' + (url.href ?? url));
                 return files[name];
               }`
            : null,
        transform: (code) => code.replace(/new URL\((`[^`]*`), import\.meta\.url\)/g, '{ href: $1 }'),
      },
    ],
  });
  const { output } = await build.generate({ format: 'iife' });
  // Metro lowers classes and async functions for Hermes; so does this.
  return ts.transpileModule(output[0].code, {
    compilerOptions: {
      target: ts.ScriptTarget.ES5,
      downlevelIteration: true,
      ignoreDeprecations: '6.0',
    },
  }).outputText;
}

// The published binaries are for x64 only.
const runs = process.arch === 'x64' || process.platform === 'darwin';
if (!runs) console.warn(`Skipped: hermes-engine-cli has no binary for ${process.platform} on ${process.arch}.`);

it.runIf(runs)('the tests of core pass in Hermes', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hermes-'));
  try {
    const script = join(folder, 'core.js');
    writeFileSync(script, await bundle());
    const flags = ['-Xmicrotask-queue', '-Xes6-promise', '-O0', script];
    const { stdout } = await promisify(execFile)(hermes(), flags, { maxBuffer: 64 * 1024 * 1024 });
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([]);
    const [, run] = /^done: (\d+) run, 0 failed$/.exec(lines.at(-1) ?? '') ?? [];
    expect(Number(run)).toBeGreaterThan(300);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
