import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A process of the binary of E2E_SERVER_BINARY. */
export class Process {
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

/** A port of this machine that nobody listens at. */
export function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
