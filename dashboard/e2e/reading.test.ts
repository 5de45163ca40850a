import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Server, serve } from './server';
import { openBrowser, violations, visit } from './visitor';

let server: Server;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  server = await serve();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  ({ context, page, complaints } = await visit(browser, server));
  await page.goto(server.link);
  await page.waitForURL(/\/live\/home/);
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const open = (report: string, search = '') =>
  page.goto(`${server.baseUrl}/apps/${server.apps[0]!.id}/live/${report}${search}`);
const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
/** Days that are over: what arrives while the test runs changes nothing. */
const past = () => `range=custom&from=${daysAgo(10)}&to=${daysAgo(1)}&zone=UTC`;

/** Runs a command line as a reader pastes it into a shell, with the binary under test. */
function shell(command: string): unknown {
  const output = execFileSync('sh', ['-c', command.replace(/^svc /, `${process.env.E2E_SERVER_BINARY} `)], {
    env: { ...process.env, SVC_API_KEY: server.apiKey, SVC_API_URL: server.baseUrl },
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

test('the command line that a table shows prints that very table', async () => {
  for (const [report, search, heading] of [
    ['acquisition', '&dimension=SOURCE&by=REVENUE&f=is_not,country,DE,US', 'Source'],
    ['acquisition', '&f=contains,page,/plants&platform=web&q=o', 'Channel'],
    ['places', '&dimension=CITY&by=BOUNCE_RATE&order=up', 'City'],
    ['technology', '&dimension=OS&rows=200', 'OS'],
  ]) {
    await open(report!, `?${past()}${search}`);
    const card = page.locator('section', {
      has: page.getByRole('heading', { level: 2, name: heading, exact: true }),
    });
    await card.locator('tbody tr').first().waitFor();
    const visitors = await card
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.querySelector('td')!.title.replaceAll(',', '')));
    await card.getByRole('button', { name: `Explain ${heading}`, exact: true }).click();
    const command = await page.getByRole('dialog').locator('pre', { hasText: 'svc analytics' }).textContent();
    const printed = shell(command!) as { nodes: { visitors: number }[] };
    expect(printed.nodes.map(({ visitors }) => String(visitors))).toEqual(visitors);
    expect(visitors.length).toBeGreaterThan(0);
  }
});

test('a figure is explained by its meaning, its formula with figures, its scope and its document', async () => {
  await open('home', `?${past()}&metric=viewsPerSession&f=is,country,DE`);
  await page.getByRole('button', { name: 'Explain Views a session' }).click();
  const dialog = page.getByRole('dialog');
  const { app } = await server.ask<{
    app: { productAnalytics: { summary: { views: number; sessions: number; viewsPerSession: number } } };
  }>(
    `query ($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) {
      summary { views sessions viewsPerSession } } } }`,
    {
      app: server.apps[0]!.id,
      scope: {
        range: { start: `${daysAgo(10)}T00:00:00Z`, end: `${daysAgo(0)}T00:00:00Z` },
        cross: { country: { op: 'IS', values: ['DE'] } },
      },
    },
  );
  const { views, sessions, viewsPerSession } = app.productAnalytics.summary;
  await dialog
    .getByText(
      `views ÷ sessions = ${views.toLocaleString('en-US')} ÷ ${sessions.toLocaleString('en-US')} = ` +
        viewsPerSession.toLocaleString('en-US', { maximumFractionDigits: 6 }),
    )
    .waitFor();
  await dialog.getByText('country is DE').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('columns are chosen by the reader, kept in the address and left out of the download', async () => {
  await open('acquisition', `?${past()}`);
  const table = page.getByRole('region', { name: 'Channel', exact: true });
  const heads = () => table.locator('thead th').allTextContents();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Bounce rate').uncheck();
  await page.getByLabel('Revenue').uncheck();
  await page.waitForURL(/hide=BOUNCE_RATE,REVENUE/);
  await expect.poll(heads).not.toContain('Revenue');
  await page.reload();
  await table.locator('tbody tr').first().waitFor();
  expect(await heads()).toEqual([
    'Channel',
    'Visitors ↓',
    'Sessions',
    'Views',
    'Events',
    'New',
    'Session length',
    'Views a session',
  ]);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const [head, ...lines] = readFileSync(await (await waiting).path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(head).toBe('Channel,Visitors,Sessions,Views,Events,New,Session length,Views a session');
  expect(lines.length).toBe(await table.locator('tbody tr').count());
});

test('a thousand people scroll, and only those in sight are drawn', async () => {
  await open('visitors', '?range=12mo&rows=1000');
  const table = page.locator('table');
  await table.locator('tbody tr').first().waitFor();
  const total = Number((await table.getAttribute('aria-rowcount')) ?? 0) - 1;
  expect(total).toBeGreaterThan(300);
  expect(await table.locator('tbody tr').count()).toBeLessThan(100);
  await page.getByRole('region', { name: 'Person' }).evaluate((scroller) => scroller.scrollTo(0, 1e6));
  await page.locator(`tr[aria-rowindex="${total + 1}"]`).waitFor();
});

test('the playground runs what a report asked, completes by the schema and keeps what ran', async () => {
  await open('acquisition', `?${past()}`);
  await page.getByRole('button', { name: 'Explain Channel', exact: true }).click();
  await page.getByRole('link', { name: 'Open in the playground' }).click();
  await page.waitForURL(/\/playground#query=/);
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.getByText(/^Answered in/).waitFor();
  const answer = page.getByRole('textbox', { name: 'Answer' });
  await expect.poll(() => answer.textContent()).toContain('"series"'); // what is in sight
  const query = page.getByRole('textbox', { name: 'Query' });
  await query.click();
  await query.press('Control+a');
  await query.press('Delete');
  await query.pressSequentially('query Me { viewer { ema');
  await query.press('Control+Space');
  await page
    .getByRole('option', { name: /^email/ })
    .first()
    .click();
  await expect.poll(() => query.textContent()).toContain('email');
  await query.press('Control+Enter');
  await expect.poll(() => answer.textContent()).toContain(server.admin.email);
  await page.reload();
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('menuitem', { name: /^Acquisition/ }).waitFor();
});

test('the playground shows a subscription as it comes, and is readable in both schemes', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.baseUrl}/playground`);
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.getByRole('menuitem', { name: /^Who is online/ }).click();
    await page.getByRole('button', { name: /^Run/ }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Answer' }).textContent()).toContain('"live"');
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await violations(page)).toEqual([]);
  }
});
