import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Server as Program, serve } from './server';

// The scenarios of the protocol's own suite that ask any server. The others call tools, prompts and resources by names
// that only the suite's example server has.
const scenarios = ['server-initialize', 'ping', 'logging-set-level', 'tools-list', 'resources-list', 'prompts-list'];
const overHTTP = [...scenarios, 'dns-rebinding-protection'];

let program: Program;
const doors: Server[] = [];
const commands: ChildProcess[] = [];

beforeAll(async () => {
  program = await serve();
});

afterAll(async () => {
  for (const door of doors) door.close();
  for (const command of commands) command.kill();
  await program.stop();
});

test.each(overHTTP)('over HTTP: %s', async (scenario) => {
  await passes(scenario, await listen(withKey));
});

test.each(scenarios)('on standard input and output: %s', async (scenario) => {
  await passes(scenario, await listen(byCommand()));
});

async function passes(scenario: string, address: string): Promise<void> {
  const suite = ['conformance', 'server', '--url', `${address}/mcp`, '--scenario', scenario];
  const { stdout } = await promisify(execFile)('npx', ['--no-install', ...suite]);
  expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
}

async function listen(answer: (asked: IncomingMessage, answered: ServerResponse) => void): Promise<string> {
  const door = createServer(answer);
  doors.push(door);
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
}

/** Passes a request of the suite, which has no key, on with one. */
function withKey(asked: IncomingMessage, answered: ServerResponse): void {
  const headers = { ...asked.headers, authorization: `Bearer ${program.apiKey}` };
  const onward = send(program.address + asked.url, { method: asked.method, headers }, (answer) => {
    answered.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(answered);
  });
  onward.on('error', () => answered.destroy());
  asked.pipe(onward);
}

/** Answers by the lines of `svc mcp`: the suite itself speaks HTTP only. */
function byCommand(): (asked: IncomingMessage, answered: ServerResponse) => Promise<void> {
  const settings = { SVC_API_URL: program.baseUrl, SVC_API_KEY: program.apiKey };
  const command = spawn(process.env.E2E_SERVER_BINARY!, ['mcp'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...settings },
  });
  commands.push(command);
  const waiting = new Map<number, (line: string) => void>();
  createInterface(command.stdout).on('line', (line) => waiting.get(JSON.parse(line).id)?.(line));
  const session = randomUUID();
  return async (asked, answered) => {
    if (asked.method !== 'POST') return void answered.writeHead(405).end();
    let message = '';
    for await (const part of asked) message += part;
    const { id } = JSON.parse(message);
    command.stdin.write(`${message}\n`);
    if (id === undefined) return void answered.writeHead(202).end();
    const line = await new Promise<string>((heard) => waiting.set(id, heard));
    answered.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': session }).end(line);
  };
}
