import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePort, Process } from './program';

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

/** Runs the binary with a database of its own, with or without demo data, and with more settings by environment. */
export async function serve(
  settings: Record<string, string> = {},
  demo: 'small' | 'none' = 'small',
  host = '127.0.0.1',
): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  // The database's files belong to another user when root runs this, which only cp keeps.
  if (demo === 'small') execFileSync('cp', ['-a', `${inject('seed')}/.`, dir]);
  const address = `${host}:${await freePort()}`;
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

/** The browser of the machine. */
export function browserPath(): string {
  const found = [
    process.env.CHROME_BIN,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path && existsSync(path));
  if (!found) throw new Error('no Chromium: make setup installs it');
  return found;
}
