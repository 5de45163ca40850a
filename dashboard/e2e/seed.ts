import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort, Process } from './program';

declare module 'vitest' {
  interface ProvidedContext {
    /** The data directory that servers with demo data start on a copy of. */
    seed: string;
  }
}

/** A data directory with demo data, whose server has ended: making one takes a server seven times what it takes to
 * start on a copy. */
async function seed(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-seed-'));
  const address = `127.0.0.1:${await freePort()}`;
  const process = new Process(['dev', '--demo=small', '--addr', address, '--data-dir', dir], {}, /\(signed in\)/);
  await process.start();
  await process.end('SIGINT');
  return dir;
}

/** Makes the demo data once for all files. */
export default async function setup(project: TestProject): Promise<() => void> {
  const dir = await seed();
  project.provide('seed', dir);
  return () => rmSync(dir, { recursive: true, force: true });
}
