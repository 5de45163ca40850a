// The published packages and svc.js, packed into packages/dist, where the server finds them.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const PACKAGES = ['core', 'openfeature', 'react', 'expo', 'react-native'];

const sdk = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** Where the packages are packed into. */
export const packed = join(sdk, 'packages', 'dist');

/** Builds and packs a package; returns the name of its file. */
async function pack(name, into) {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', into], { cwd: join(sdk, name) });
  const file = /"filename": "([^"]+)"/.exec(stdout)?.[1];
  if (!file) throw new Error(`npm pack of ${name} names no file`);
  return file;
}

/**
 * Builds and packs every package, and svc.js with the renderer that it loads; returns the names of the packages' files.
 * The list of them is written last, so that a server that runs beside it never offers a part of a build.
 */
export async function packAll() {
  const scratch = mkdtempSync(join(packed, '.packing-'));
  try {
    // The others are built from what core builds.
    const files = [await pack('core', scratch)];
    const [openfeature, react, ...native] = PACKAGES.slice(1);
    files.push(...(await Promise.all([openfeature, react].map((name) => pack(name, scratch)))));
    files.push(...(await Promise.all(native.map((name) => pack(name, scratch)))));
    await run('npm', ['run', 'build'], { cwd: join(sdk, 'script') });
    rmSync(join(packed, 'packages.txt'), { force: true });
    for (const old of readdirSync(packed).filter((name) => name.endsWith('.tgz'))) rmSync(join(packed, old));
    for (const file of files) renameSync(join(scratch, file), join(packed, file));
    rmSync(join(packed, 'flow'), { recursive: true, force: true });
    cpSync(join(sdk, 'script', 'dist'), packed, { recursive: true });
    writeFileSync(join(packed, 'packages.txt'), `${files.join('\n')}\n`);
    return files;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
