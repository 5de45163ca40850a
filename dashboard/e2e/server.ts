import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What svc dev writes for tools that talk to it. */
type DevFile = {
  baseUrl: string;
  apiKey: string;
  admin: { email: string; password: string };
  apps: { id: string; name: string }[];
};

export type Server = DevFile & {
  /** The link that svc dev prints: it signs in. */
  link: string;
  /** Kills the server at once, as a machine that loses its power does; start brings it back at the same address. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Asks the API by the key that svc dev made. */
  ask<T>(query: string, variables: object): Promise<T>;
};

/** Runs the binary of E2E_SERVER_BINARY with a database and demo data of its own, and with more settings by environment. */
export async function serve(settings: Record<string, string> = {}): Promise<Server> {
  const binary = process.env.E2E_SERVER_BINARY;
  if (!binary) throw new Error('E2E_SERVER_BINARY says which binary to test: scripts/e2e builds it');
  const dir = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  const address = `127.0.0.1:${await freePort()}`;
  let child: ChildProcess;
  let printed = '';
  const start = async () => {
    printed = '';
    child = spawn(binary, ['dev', '--demo=small', '--addr', address, '--data-dir', dir], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...settings },
    });
    for (const output of [child.stdout!, child.stderr!]) output.on('data', (text) => (printed += text));
    for (let waited = 0; !/\(signed in\)/.test(printed); waited += 100) {
      if (child.exitCode !== null || waited > 150_000) throw new Error(`svc dev did not start:\n${printed}`);
      await new Promise((later) => setTimeout(later, 100));
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    const gone = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await gone;
  };
  await start();
  const dev: DevFile = JSON.parse(readFileSync(join(dir, 'dev.json'), 'utf8'));
  return {
    ...dev,
    get link() {
      return /dashboard\s+(\S+)/.exec(printed)![1]!;
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGINT');
      rmSync(dir, { recursive: true, force: true });
    },
    async ask<T>(query: string, variables: object): Promise<T> {
      const answer = await fetch(`${dev.baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${dev.apiKey}` },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await answer.json()) as { data: T; errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}

/** The browser of the machine. */
export function browserPath(): string {
  const found = [
    process.env.CHROME_BIN,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path && existsSync(path));
  if (!found) throw new Error('no Chromium: make setup installs it');
  return found;
}
