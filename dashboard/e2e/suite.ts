import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Server, serve } from './server';
import { openBrowser, type Visitor, visit } from './visitor';

/** The server with demo data, and the browser, of the file that runs. */
export let server: Server;
export let browser: Browser;
/** Who sits at it in the test that runs, and their page. */
export let visitor: Visitor;
export let page: Page;
let visitors: Visitor[] = [];

type Options = {
  /** Settings of the server, by environment. */
  settings?: Record<string, string>;
  /** Whether a test begins signed in. */
  signedIn?: boolean;
  /** Whether it begins on Home; tests that open another page draw none before. */
  onHome?: boolean;
  /** Where it listens: browsers make passkeys for names only. */
  host?: string;
};

/** Gives the tests of a file a server, a browser and a visitor each. A test fails when the browser complains of anything
 * that the visitor does not expect. */
export function suite({ settings = {}, signedIn = true, onHome = false, host }: Options = {}) {
  beforeAll(async () => {
    [server, browser] = await Promise.all([serve(settings, 'small', host), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    visitors = [];
    visitor = await another();
    page = visitor.page;
    if (signedIn && onHome) await enter();
    if (signedIn && !onHome) await visitor.context.request.get(server.link, { maxRedirects: 0 });
  });
  afterEach(async () => {
    for (const { context } of visitors) await context.close();
    expect(visitors.flatMap(({ complaints }) => complaints).filter((text) => !visitor.expected?.test(text))).toEqual(
      [],
    );
  });
}

/** Somebody else, at a browser of their own, until the test is over. */
export async function another(options: Parameters<Browser['newContext']>[0] = {}): Promise<Visitor> {
  const visitor = await visit(browser, server, options);
  visitors.push(visitor);
  return visitor;
}

/** Signs in by the link that the server printed. */
export async function enter(to: Page = page): Promise<void> {
  await to.goto(server.link);
  await to.waitForURL(/\/live\/home/);
}

/** The address of a page of the demo's app. */
export const addressOf = (path: string): string => `${server.baseUrl}/apps/${server.apps[0]!.id}/live/${path}`;

/** Opens a page of the demo's app. */
export const open = (path: string) => page.goto(addressOf(path));

/** The id of a flow of the demo. */
export async function flowCalled(name: string): Promise<string> {
  const { app } = await server.ask<{ app: { flows: { nodes: { id: string; name: string }[] } } }>(
    `query ($app: ID!) { app(id: $app) { flows(first: 200) { nodes { id name } } } }`,
    { app: server.apps[0]!.id },
  );
  return app.flows.nodes.find((flow) => flow.name === name)!.id;
}

export const daysAgo = (count: number): string => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);

/** Days that are over: what arrives while the test runs changes nothing. */
export const past = (): string => `range=custom&from=${daysAgo(10)}&to=${daysAgo(1)}&zone=UTC`;

/** Sends something to the SDK's API as an app does, with the key of an environment. */
export async function sendAsApp(path: string, body: object): Promise<Response> {
  const { app } = await server.ask<{ app: { environment: { publishableKeys: { nodes: { key: string }[] } } } }>(
    `query ($app: ID!) { app(id: $app) { environment { publishableKeys(first: 1) { nodes { key } } } } }`,
    { app: server.apps[0]!.id },
  );
  return fetch(`${server.baseUrl}/v1/sdk/${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${app.environment.publishableKeys.nodes[0]!.key}`,
    },
    body: JSON.stringify(body),
  });
}
