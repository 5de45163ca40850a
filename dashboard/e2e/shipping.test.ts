import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Server, serve } from './server';
import { barriers, openBrowser, type Visitor, visit } from './visitor';

let server: Server;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  server = await serve();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  visitor = await visit(browser, server);
  await visitor.page.goto(server.link);
  await visitor.page.waitForURL(/\/live\/home/);
});
afterEach(async () => {
  await visitor.context.close();
  expect(visitor.complaints).toEqual([]);
});

const open = (path: string) => visitor.page.goto(`${server.baseUrl}/apps/${server.apps[0]!.id}/live/${path}`);

test('a flow is shown by its first screen, drawn by the renderer of the SDK', async () => {
  const { page } = visitor;
  await open('flows');
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Welcome', exact: true }) });
  await card.scrollIntoViewIfNeeded();
  const screen = page.frameLocator('iframe[title="First screen of Welcome"]');
  await screen.getByText('Plants that outlive').waitFor();
  const picture = screen.locator('img').first();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  const { app } = await server.ask<{ app: { appFlowOverview: { nodes: { flowId: string; starts: number }[] } } }>(
    `query ($app: ID!, $scope: AppFlowScope!) { app(id: $app) { appFlowOverview(scope: $scope, first: 200) { nodes { flowId starts } } } }`,
    { app: server.apps[0]!.id, scope: { timeZone: 'UTC', range: yesterdays } },
  );
  await open(`flows?range=custom&from=${dayAgo(8)}&to=${dayAgo(1)}&zone=UTC`);
  const href = await card.getByRole('link').getAttribute('href');
  const starts = app.appFlowOverview.nodes.find(({ flowId }) => href!.includes(flowId))!.starts;
  expect(starts).toBeGreaterThan(0);
  await expect.poll(() => card.locator('dd').nth(1).textContent()).toBe(starts.toLocaleString('en-US'));
});

test('nobody else may frame a preview, and it may frame nothing', async () => {
  const { headers } = await fetch(`${server.baseUrl}/preview.html`);
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  expect((await fetch(`${server.baseUrl}/`)).headers.get('x-frame-options')).toBe('DENY');
});

test('a manifest is imported, and a wrong one is refused by the place of what is wrong', async () => {
  const { page } = visitor;
  await open('flows');
  await page.getByRole('button', { name: 'New flow' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Brought along');
  await dialog.getByText('A manifest', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill('{"screens": ');
  await dialog.getByRole('button', { name: 'Create the flow' }).click();
  await dialog.getByText('This is no JSON').waitFor();
  const draft = await draftOf('How are we growing?');
  const wrong = { ...draft, entryScreenId: 'nowhere' };
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill(JSON.stringify(wrong));
  await dialog.getByRole('button', { name: 'Create the flow' }).click();
  await dialog.getByLabel('Problems').getByText('/entryScreenId').waitFor();
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill(JSON.stringify(draft));
  await dialog.getByRole('button', { name: 'Create the flow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Brought along' }).waitFor();
  const imported = await draftOf('Brought along');
  expect(imported.screens).toEqual(draft.screens);
});

test('the pages of shipping can be used by everybody', async () => {
  expect(await barriers(browser, server, ['live/flows', 'live/flows?as=table'])).toEqual([]);
});

type Draft = { screens: unknown[] };

/** The draft of a flow of the demo. */
async function draftOf(name: string): Promise<Draft> {
  const { app } = await server.ask<{ app: { flows: { nodes: { id: string; name: string }[] } } }>(
    `query ($app: ID!) { app(id: $app) { flows(first: 50) { nodes { id name } } } }`,
    { app: server.apps[0]!.id },
  );
  const { id } = app.flows.nodes.find((flow) => flow.name === name)!;
  const { flow } = await server.ask<{ flow: { draft: Draft } }>(`query ($id: ID!) { flow(id: $id) { draft } }`, { id });
  return flow.draft;
}

const dayAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
const yesterdays = { start: `${dayAgo(8)}T00:00:00Z`, end: `${dayAgo(0)}T00:00:00Z` };
