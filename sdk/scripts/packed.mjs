// Packs every published package without what was built before, as the server offers them, and proves that each is
// whole: every file that its package.json names is in it, and what runs outside of phones and browsers can be imported
// from it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGES, packAll, packed } from './pack.mjs';

/** Entries that need neither a browser nor React Native. */
const IMPORTED = ['@svc/core', '@svc/core/internal', '@svc/openfeature/server', '@svc/openfeature/web'];

const sdk = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'svc-packed-'));
const installed = join(scratch, 'node_modules', '@svc');
mkdirSync(installed, { recursive: true });

/** The files that a part of package.json names. */
function named(value) {
  if (typeof value === 'string') return value.includes('*') ? [] : [value];
  return Object.values(value ?? {}).flatMap(named);
}

try {
  for (const name of PACKAGES) rmSync(join(sdk, name, 'dist'), { recursive: true, force: true });
  for (const file of await packAll()) {
    execFileSync('tar', ['xzf', join(packed, file), '-C', scratch]);
    const manifest = JSON.parse(readFileSync(join(scratch, 'package', 'package.json'), 'utf8'));
    const name = manifest.name.slice('@svc/'.length);
    renameSync(join(scratch, 'package'), join(installed, name));
    const missing = named([manifest.exports, manifest.main, manifest.module, manifest.types])
      .filter((path) => path.startsWith('.'))
      .filter((path) => !existsSync(join(installed, name, path)));
    if (missing.length > 0) throw new Error(`${file} lacks ${missing.join(', ')}`);
  }
  symlinkSync(join(sdk, 'node_modules', '@openfeature'), join(scratch, 'node_modules', '@openfeature'));
  for (const entry of IMPORTED) {
    const run = (...args) => execFileSync(process.execPath, args, { cwd: scratch, stdio: 'inherit' });
    run(
      '--input-type=module',
      '-e',
      `const m = await import('${entry}'); if (!Object.keys(m).length) throw '${entry}'`,
    );
    run('-e', `if (!Object.keys(require('${entry}')).length) throw '${entry}'`);
  }
  console.log(`${PACKAGES.length} packages are whole`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
