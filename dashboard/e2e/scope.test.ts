import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Server, serve } from './server';
import { enterAs, openBrowser, violations, visit } from './visitor';

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

const open = (report: string, search = '', who = page) =>
  who.goto(`${server.baseUrl}/apps/${server.apps[0]!.id}/live/${report}${search}`);
const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
/** Days that are over: what arrives while the test runs changes nothing. */
const past = (from: number, to: number) => `range=custom&from=${daysAgo(from)}&to=${daysAgo(to)}&zone=UTC`;
const rangeOf = (from: number, to: number) => ({
  start: `${daysAgo(from)}T00:00:00Z`,
  end: `${daysAgo(to - 1)}T00:00:00Z`,
});

type Row = { value: string; visitors: number };
const visitorsBy = async (scope: object): Promise<Map<string, number>> => {
  const { app } = await server.ask<{ app: { productAnalytics: { attribution: { nodes: Row[] } } } }>(
    `query ($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) {
      attribution(dimension: ACQUISITION_CHANNEL, first: 1000) { nodes { value visitors } } } } }`,
    { app: server.apps[0]!.id, scope },
  );
  return new Map(app.productAnalytics.attribution.nodes.map(({ value, visitors }) => [value, visitors]));
};

/** The rows of a table: name, the sorted column and the one that it is compared with, as their titles say them. */
const shownRows = async (name: string) => {
  const table = page.getByRole('region', { name, exact: true });
  await table.locator('tbody tr').first().waitFor();
  return table.locator('tbody tr').evaluateAll((rows) =>
    rows.map((row) => {
      const [first, second] = [...row.querySelectorAll('td')].map((cell) => cell.title.replaceAll(',', ''));
      return { name: row.querySelector('th')!.textContent!.trim(), first, second };
    }),
  );
};

test('a table has the compared period, matched by weekday, and a segment beside it, cell by cell as the API says', async () => {
  for (const [search, compared] of [
    ['', { range: rangeOf(9, 6) }],
    ['&match=weekday', { range: rangeOf(12, 9) }],
  ] as const) {
    await open('acquisition', `?${past(5, 2)}${search}`);
    await page.getByRole('columnheader', { name: 'Previous period', exact: true }).waitFor();
    const now = await visitorsBy({ range: rangeOf(5, 2) });
    const before = await visitorsBy(compared);
    const rows = await shownRows('Channel');
    expect(rows.length).toBeGreaterThan(5);
    for (const { name, first, second } of rows) {
      const value = name === 'Direct / none' ? '' : name;
      expect([name, first, second]).toEqual([name, String(now.get(value)), String(before.get(value) ?? 0)]);
    }
    expect(rows.some(({ first, second }) => first !== second)).toBe(true);
  }

  const { createSegment } = await server.ask<{ createSegment: { id: string } }>(
    `mutation ($app: ID!) { createSegment(input: {appId: $app, name: "Berlin and around", rules: {
      cross: {country: {op: IS, values: ["DE"]}}}}) { id } }`,
    { app: server.apps[0]!.id },
  );
  await open('acquisition', `?${past(5, 2)}`);
  await page.getByRole('button', { name: /^\w{3} \d/ }).click();
  await page.getByRole('combobox', { name: 'Compare with' }).click();
  await page.getByRole('option', { name: 'A segment' }).click();
  await page.getByRole('combobox', { name: 'Segment' }).click();
  await page.getByRole('option', { name: 'Berlin and around' }).click();
  await page.waitForURL(/compare=segment&against=/);
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'Segment', exact: true }).waitFor();
  const theirs = await visitorsBy({ range: rangeOf(5, 2), segmentId: createSegment.id });
  const rows = await shownRows('Channel');
  for (const { name, second } of rows) expect([name, second]).toEqual([name, String(theirs.get(name) ?? 0)]);
  // The chart behind the table for readers has the second series too.
  await expect.poll(() => page.locator('.reader th', { hasText: ', Segment' }).count()).toBeGreaterThan(3);
  expect(await violations(page)).toEqual([]);
});

test('a flow is compared with one of its versions, and its figures are those that the API gives of it', async () => {
  const { app } = await server.ask<{
    app: { flows: { nodes: { id: string; versions: { nodes: { id: string; number: number; label: string }[] } }[] } };
  }>(
    `query ($app: ID!) { app(id: $app) { flows(first: 50) { nodes { id versions(first: 20) { nodes { id number label } } } } } }`,
    { app: server.apps[0]!.id },
  );
  const flow = app.flows.nodes.find(({ versions }) => versions.nodes.length > 0)!;
  const version = flow.versions.nodes.at(-1)!;
  await open(`flows/${flow.id}`, `?${past(10, 2)}`);
  await page.getByRole('button', { name: /^\w{3} \d/ }).click();
  await page.getByRole('combobox', { name: 'Compare with' }).click();
  await page.getByRole('option', { name: 'A version of the flow' }).click();
  await page.getByRole('combobox', { name: 'Version' }).click();
  await page.getByRole('option', { name: new RegExp(`^v${version.number}\\b`) }).click();
  await page.keyboard.press('Escape');
  await page.waitForURL(/compare=version&against=/);
  const { flowAnalytics } = await server.ask<{ flowAnalytics: { timeseries: { starts: number }[] } }>(
    `query ($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { timeseries(grain: DAY) { starts } } }`,
    { scope: { flowId: flow.id, range: rangeOf(10, 2), versions: [version.id] } },
  );
  const table = page.locator('.reader table', { hasText: 'Starts over time' });
  await expect
    .poll(async () =>
      (await table.locator('tbody tr td:last-child').allTextContents()).map((text) => Number(text.replaceAll(',', ''))),
    )
    .toEqual(flowAnalytics.timeseries.map(({ starts }) => starts));
});

test('a view is saved, applied by a viewer, changed, and a link made before shows the same after it was deleted', async () => {
  await open('acquisition', `?${past(10, 3)}&f=is,country,DE&compare=none`);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByLabel('Save current view').fill('Germans');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/view=/);
  const link = page.url();
  expect(new URL(link).searchParams.getAll('f')).toEqual(['is,country,DE']);
  const rows = await shownRows('Channel');

  const viewer = await visit(browser, server);
  await enterAs(viewer.page, page, server, 'viewer@example.com', 'Viewer');
  await open('acquisition', '', viewer.page);
  await viewer.page.getByRole('button', { name: 'Saved views' }).click();
  expect(await viewer.page.getByLabel('Save current view').count()).toBe(0);
  await viewer.page.getByRole('button', { name: 'Germans' }).click();
  await viewer.page.waitForURL(/view=/);
  await viewer.page.getByText('Country is').waitFor();
  await viewer.page.getByRole('list', { name: 'Views' }).waitFor({ state: 'detached' });
  await viewer.page.getByRole('button', { name: 'Germans' }).click();
  expect(await viewer.page.getByRole('button', { name: /Delete|Rename|Update “/ }).count()).toBe(0);
  expect(await violations(viewer.page)).toEqual([]);

  // Changed, put back into the view, renamed.
  await page.getByRole('button', { name: 'Remove the filter Country is Germany' }).click();
  await page.getByRole('button', { name: 'Germans, changed' }).click();
  await page.getByRole('button', { name: 'Update “Germans”' }).click();
  await page.getByLabel('Name of this view').fill('Everybody of that week');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Everybody of that week', pressed: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete for all members' }).click();
  await page.waitForURL((url) => !url.searchParams.has('view'));

  await viewer.page.goto(link);
  await viewer.page.getByText('Country is').waitFor();
  await expect.poll(() => shownOn(viewer.page)).toEqual(rows.map(({ name }) => name));
  expect(viewer.complaints).toEqual([]);
  await viewer.context.close();
});

const shownOn = (who: Page) =>
  who.getByRole('region', { name: 'Channel', exact: true }).locator('tbody tr th').allTextContents();

test('a link of a segment shows its people by what it chose them by, after the segment was deleted', async () => {
  await open('acquisition', `?${past(10, 3)}&f=is,country,DE`);
  await page.getByRole('button', { name: 'All users' }).click();
  await page.getByRole('button', { name: 'From these filters' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Short-lived');
  await page.getByRole('button', { name: 'Create segment' }).click();
  await page.waitForURL(/segment=/);
  const link = page.url();
  await server.ask(`mutation ($id: ID!) { deleteSegment(input: {id: $id}) }`, {
    id: new URL(link).searchParams.get('segment'),
  });
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForURL((url) => !url.searchParams.has('segment') && url.searchParams.get('f') === 'is,country,DE');
  const germans = await visitorsBy({
    range: rangeOf(10, 3),
    cross: { country: { op: 'IS', values: ['DE'] } },
  });
  await expect
    .poll(async () => Object.fromEntries((await shownRows('Channel')).map(({ name, first }) => [name, first])))
    .toEqual(Object.fromEntries([...germans].map(([value, visitors]) => [value || 'Direct / none', String(visitors)])));
});

test('a note is written by keyboard and by click, stands on every chart, and is edited by who wrote it', async () => {
  await open('home', `?${past(10, 2)}`);
  const chart = page.getByRole('img', { name: /^Visitors over time/ });
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const note = page.getByLabel('Chart note');
  await note.fill('x'.repeat(281));
  expect(await page.getByRole('button', { name: 'Write' }).isDisabled()).toBe(true);
  await note.fill('A spot on television');
  await page.getByRole('button', { name: 'Write' }).click();
  await page.getByRole('list', { name: 'Notes' }).getByText('A spot on television').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('note'));

  await open('acquisition', `?${past(10, 2)}`);
  const other = page.getByRole('img', { name: /over time/ });
  await other.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.locator('small', { hasText: /“A spot on television”, by \S/ }).waitFor();
  const box = (await other.boundingBox())!;
  await page.mouse.click(box.x + box.width - 20, box.y + 60);
  await page.getByLabel('Chart note').fill('The last day');
  await page.getByRole('button', { name: 'Write' }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('listitem').getByLabel('Chart note').fill('The very last day');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The very last day', { exact: true }).waitFor();

  const viewer = await visit(browser, server);
  await enterAs(viewer.page, page, server, 'reader@example.com', 'Reader');
  await viewer.page.goto(page.url());
  await viewer.page.getByText('The very last day', { exact: true }).waitFor();
  expect(await viewer.page.getByRole('button', { name: /^(Change|Delete|Write)$/ }).count()).toBe(0);
  await viewer.context.close();

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No notes or changes here.').waitFor();
});

test('a viewer reads on charts what was changed', async () => {
  const viewer = await visit(browser, server);
  await enterAs(viewer.page, page, server, 'third@example.com', 'Third');
  await open('home', '?range=28d', viewer.page);
  await viewer.page.getByRole('img', { name: /^Visitors over time/ }).focus();
  await viewer.page.keyboard.press('End');
  await viewer.page
    .locator('small', { hasText: /was published, by \S/ })
    .first()
    .waitFor();
  await viewer.context.close();
});

test('the interval says what it chose by itself', async () => {
  const interval = page.getByRole('combobox', { name: 'Chart by' });
  for (const [range, chosen] of [
    ['24h', 'hours'],
    ['28d', 'days'],
    ['12mo', 'weeks'],
  ]) {
    await open('events', `?range=${range}`);
    await expect.poll(() => interval.inputValue()).toBe(`Auto (${chosen})`);
  }
  await interval.click();
  await page.getByRole('option', { name: 'Months' }).click();
  await expect.poll(() => interval.inputValue()).toBe('Months');
  await interval.click();
  await page.getByRole('option', { name: 'Auto (weeks)' }).waitFor();
});

test('a range that is named by the day moves on at midnight, while its page is open', async () => {
  const asked = new Set<string>();
  page.on('request', (request) => {
    const body = request.postDataJSON() as { operationName: string; variables: { scope: { range: object } } } | null;
    if (body?.operationName === 'Events') asked.add(JSON.stringify(body.variables.scope.range));
  });
  const range = (from: number) => {
    const instant = (day: number) => `${daysAgo(day)}T00:00:00.000Z`;
    return JSON.stringify({ start: instant(from), end: instant(from - 1) });
  };
  await page.clock.install({ time: `${daysAgo(3)}T23:59:00Z` });
  await open('events', '?range=yesterday&zone=UTC&compare=none');
  const address = page.url();
  await expect.poll(() => [...asked]).toEqual([range(4)]);
  await page.clock.runFor(61_000);
  await expect.poll(() => [...asked]).toEqual([range(4), range(3)]);
  expect(page.url()).toBe(address);
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await expect.poll(() => page.getByLabel('From').inputValue()).toBe(daysAgo(3));
});
