import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What svc dev writes for tools that talk to it. */
type DevFile = {
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
  admin: { email: string; password: string };
  apps: { id: string; name: string }[];
};

export type Server = DevFile & {
  /** Where it listens, whatever baseUrl says. */
  address: string;
  /** The link that svc dev prints: it signs in. */
  link: string;
  /** Kills the server at once, as a machine that loses its power does; start brings it back at the same address. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Asks the API by the key that svc dev made. */
  ask<T>(query: string, variables: object): Promise<T>;
};

/** A process of the binary of E2E_SERVER_BINARY. */
class Process {
  printed = '';
  private child: ChildProcess | undefined;

  constructor(
    private readonly command: readonly string[],
    private readonly settings: Record<string, string>,
    /** What it prints once it serves. */
    private readonly ready: RegExp,
  ) {}

  async start(): Promise<void> {
    const binary = process.env.E2E_SERVER_BINARY;
    if (!binary) throw new Error('E2E_SERVER_BINARY says which binary to test: scripts/e2e builds it');
    this.printed = '';
    const child = spawn(binary, this.command, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...this.settings },
    });
    this.child = child;
    for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (this.printed += text));
    for (let waited = 0; !this.ready.test(this.printed); waited += 100) {
      if (child.exitCode !== null || waited > 150_000)
        throw new Error(`svc ${this.command[0]} did not start:\n${this.printed}`);
      await new Promise((later) => setTimeout(later, 100));
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await gone;
  }
}

/** Runs the binary with a database and demo data of its own, and with more settings by environment. */
export async function serve(settings: Record<string, string> = {}, demo = 'small'): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  const address = `127.0.0.1:${await freePort()}`;
  const command = ['dev', `--demo=${demo}`, '--addr', address, '--data-dir', dir];
  const process = new Process(command, settings, /\(signed in\)/);
  await process.start();
  const dev: DevFile = JSON.parse(readFileSync(join(dir, 'dev.json'), 'utf8'));
  return {
    ...dev,
    address: `http://${address}`,
    get link() {
      return /dashboard\s+(\S+)/.exec(process.printed)![1]!;
    },
    kill: () => process.end('SIGKILL'),
    start: () => process.start(),
    async stop() {
      await process.end('SIGINT');
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

/** A server of the kind that is installed: `svc serve` on a database without anything. */
export type FreshServer = {
  baseUrl: string;
  /** The link that makes the first administrator. */
  setupLink: string;
  stop(): Promise<void>;
};

/** Runs `svc serve` on the empty database that the cluster of a `svc dev` has beside its own. */
export async function serveFresh(): Promise<FreshServer> {
  const cluster = await serve({}, 'none');
  const database = new URL(cluster.databaseUrl);
  database.pathname = '/postgres';
  const address = `127.0.0.1:${await freePort()}`;
  const media = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  const settings = {
    SVC_DATABASE_URL: database.href,
    SVC_BASE_URL: `http://${address}`,
    SVC_ADDR: address,
    SVC_ADMIN_ADDR: '127.0.0.1:0',
    SVC_MEDIA_DIR: media,
    SVC_FRAME_DIR: '',
    SVC_LOG_FORMAT: 'json',
  };
  const process = new Process(['serve'], settings, /"msg":"serving"/);
  await process.start();
  return {
    baseUrl: `http://${address}`,
    setupLink: /"url":"([^"]+\/setup\?token=[^"]+)"/.exec(process.printed)![1]!,
    async stop() {
      await process.end('SIGINT');
      await cluster.stop();
      rmSync(media, { recursive: true, force: true });
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
