// Packs every published package into packages/dist, where the server finds them. The list of what was packed is written
// last, so that a server that runs beside it never offers a part of a build.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const PACKAGES = ['core', 'openfeature', 'react', 'expo', 'react-native'];

const sdk = fileURLToPath(new URL('..', import.meta.url));
const target = join(sdk, 'packages', 'dist');
const run = promisify(execFile);

/** Builds and packs a package; returns the name of its file. */
async function pack(name, into) {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', into], { cwd: join(sdk, name) });
  const file = /"filename": "([^"]+)"/.exec(stdout)?.[1];
  if (!file) throw new Error(`npm pack of ${name} names no file`);
  return file;
}

const scratch = mkdtempSync(join(target, '.packing-'));
try {
  // The others are built from what core builds.
  const files = [await pack('core', scratch)];
  const [openfeature, react, ...native] = PACKAGES.slice(1);
  files.push(...(await Promise.all([openfeature, react].map((name) => pack(name, scratch)))));
  files.push(...(await Promise.all(native.map((name) => pack(name, scratch)))));
  rmSync(join(target, 'packages.txt'), { force: true });
  for (const old of readdirSync(target).filter((name) => name.endsWith('.tgz'))) rmSync(join(target, old));
  for (const file of files) renameSync(join(scratch, file), join(target, file));
  writeFileSync(join(target, 'packages.txt'), `${files.join('\n')}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
