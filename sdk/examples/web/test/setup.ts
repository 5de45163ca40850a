import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import type { TestProject } from 'vitest/node';
import { publishExamples } from './author';

export interface Setup {
  pageUrl: string;
  binary: string;
  baseUrl: string;
  apiKey: string;
  appId: string;
  databaseUrl: string;
}
declare module 'vitest' {
  interface ProvidedContext {
    setup: Setup;
  }
}

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
/** Where `npm run packages` and scripts/packages pack the SDKs. */
const packages = join(repository, 'sdk', 'packages', 'dist');
/** A cold start makes a database and two weeks of visits, on a busy machine too. */
const START_LIMIT_MS = 300_000;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket();
    socket.once('error', reject);
    socket.listen(0, '127.0.0.1', () => {
      const address = socket.address();
      socket.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));

/**
 * Builds the server, starts it on a database of its own, and serves the example against it: from Vite, whose origin is
 * another one, and from the server itself, as `make run` does.
 */
export default async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
  const binary = process.env.E2E_SERVER_BINARY ?? join(directory, 'svc');
  if (!process.env.E2E_SERVER_BINARY)
    execFileSync('go', ['build', '-o', binary, './cmd/svc'], { cwd: repository, stdio: 'inherit' });
  const data = join(directory, 'data');
  const devFile = join(data, 'dev.json');
  const addr = `127.0.0.1:${await freePort()}`;
  const built = join(directory, 'example');
  const input = ['index.html', 'test/page/index.html', 'test/screens/index.html'].map((page) =>
    fileURLToPath(new URL(`../${page}`, import.meta.url)),
  );
  // Built, not served from the sources: a browser that begins anew in every test loads a few files, not hundreds.
  await build({
    configFile,
    logLevel: 'error',
    build: { outDir: built, emptyOutDir: true, rolldownOptions: { input } },
  });
  const at = ['--data-dir', data, '--addr', addr, '--base-url', `http://${addr}`];
  const where = [...at, '--example', built, '--packages', packages];
  const server = spawn(binary, ['dev', '--demo', 'small', ...where], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const limit = Date.now() + START_LIMIT_MS;
    while (!existsSync(devFile)) {
      if (server.exitCode !== null) throw new Error(`svc dev ended with ${server.exitCode}`);
      if (Date.now() > limit) throw new Error('svc dev did not start in time');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const dev = JSON.parse(readFileSync(devFile, 'utf8'));
    await publishExamples(dev, { 'All layers': 'all-layers', Branching: 'branching-onboarding' });
    const extended = join(directory, 'dev.json');
    writeFileSync(extended, JSON.stringify(dev));
    process.env.EXAMPLE_DEV_FILE = extended;
    const vite = await preview({
      configFile,
      build: { outDir: built },
      preview: { port: await freePort(), host: '127.0.0.1' },
      logLevel: 'warn',
    });
    project.provide('setup', {
      pageUrl: vite.resolvedUrls?.local[0] ?? '',
      binary,
      baseUrl: dev.baseUrl,
      apiKey: dev.apiKey,
      appId: dev.apps[0].id,
      databaseUrl: dev.databaseUrl,
    });
    return async () => {
      await vite.close();
      await stop();
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
