import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addressOf, another, daysAgo, enter, open, page, past, sendAsApp, server, suite } from './suite';
import { violations } from './visitor';

suite();

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
    ['locations', '&dimension=CITY&by=BOUNCE_RATE&order=up', 'City'],
    ['devices', '&dimension=OS&rows=200', 'OS'],
  ]) {
    await open(`${report}?${past()}${search}`);
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
  await open(`home?${past()}&metric=viewsPerSession&f=is,country,DE`);
  await page.getByRole('button', { name: 'Explain Views per session' }).click();
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
  await dialog.getByText('Country is Germany').waitFor();
  await page.getByRole('tooltip').waitFor({ state: 'hidden' }); // of the button that was clicked
  expect(await violations(page)).toEqual([]);
});

test('the map says of every country what the table says, and a click on one filters by it', async () => {
  await open(`places?${past()}&rows=200`);
  const table = page.getByRole('region', { name: 'Country', exact: true });
  await table.locator('tbody tr').first().waitFor();
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => `${row.querySelector('th')!.innerText}: ${row.querySelector('td')!.title}`),
    );
  const map = page.getByRole('img', { name: /Visitors on the map/ });
  await expect.poll(() => map.locator('title').count()).toBeGreaterThan(5); // the world comes by itself
  const countries = await map.locator('title').allTextContents();
  expect(rows).toEqual(expect.arrayContaining(countries)); // places too small for the map are in the table alone
  await map.locator('path', { hasText: 'Germany' }).click();
  await page.waitForURL(/f=is,country,DE/);
  await expect.poll(() => map.locator('title').allTextContents()).toEqual([expect.stringMatching(/^Germany: /)]);
});

test('columns are chosen by the reader, kept in the address and left out of the download', async () => {
  await open(`acquisition?${past()}&compare=none`);
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
    'Views per session',
  ]);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const [head, ...lines] = readFileSync(await (await waiting).path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(head).toBe('Channel,Visitors,Sessions,Views,Events,New,Session length,Views per session');
  expect(lines.length).toBe(await table.locator('tbody tr').count());
});

test('what is drawn late on a phone is drawn before it is seen', async () => {
  const phone = await another({ viewport: { width: 390, height: 844 } });
  await enter(phone.page);
  await phone.page.goto(addressOf('flows'));
  const below = phone.page.frameLocator('iframe[title="First screen of Tendril Plus, countdown"]');
  await below.getByText('Every plant you own').first().waitFor();
  expect(await phone.page.evaluate(() => scrollY)).toBe(0);
});

test('no revenue and no subscription is said once, without charts of zeros', async () => {
  await open('revenue?f=is,country,ZZ');
  await page.getByText('No revenue in this period').waitFor();
  await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Revenue']);
});

test('a chart says what was changed, and the page of ingest what it refused and why', async () => {
  await open('home?range=28d');
  await page.getByRole('img', { name: /^Visitors over time/ }).focus();
  await page.keyboard.press('End');
  await page
    .locator('small', { hasText: /was published, by \S/ })
    .first()
    .waitFor();
  const refused = await sendAsApp('analytics/events', { events: [{ eventId: 'without-a-name', appUserId: 'x' }] });
  expect(refused.status).toBeLessThan(500);
  await expect
    .poll(
      async () => {
        await open('health?range=today');
        await page.getByRole('heading', { level: 2, name: 'Rejected events by reason' }).waitFor();
        await page.waitForTimeout(500);
        return page.getByRole('row', { name: /^name_required/ }).count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  await page.getByText('Latest rejected events').click();
  const sample = page.getByRole('list', { name: 'Rejected events' }).getByRole('listitem');
  await expect.poll(() => sample.filter({ hasText: 'without-a-name' }).textContent()).toContain('name is required');
  expect(await violations(page)).toEqual([]);
});

/** The head of a table and its rows, each cell by its exact figure. */
async function tableOf(name: string) {
  const table = page.getByRole('region', { name, exact: true });
  await table.locator('tbody tr').first().waitFor();
  return {
    table,
    heads: await table.locator('thead th').allTextContents(),
    rows: await table
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.title))),
  };
}
const download = async (card: string) => {
  const waiting = page.waitForEvent('download');
  await page
    .locator('section', { has: page.getByRole('heading', { level: 2, name: card, exact: true }) })
    .getByRole('button', { name: 'CSV' })
    .click();
  return readFileSync(await (await waiting).path(), 'utf8')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
};

test('cohorts begin with the first that has anybody, however long the range is', async () => {
  await open('retention?range=12mo&zone=UTC&compare=none');
  const rows = page.getByRole('region', { name: 'Retention by cohort' }).locator('tbody tr');
  await rows.first().waitFor();
  const { app } = await server.ask<{
    app: { productAnalytics: { retentionCohorts: { bucket: string; size: number }[] } };
  }>(
    `query ($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) {
      retentionCohorts(grain: DAY) { bucket size } } } }`,
    {
      app: server.apps[0]!.id,
      scope: { range: { start: `${daysAgo(300)}T00:00:00Z`, end: new Date().toISOString() } },
    },
  );
  const { retentionCohorts: all } = app.productAnalytics;
  const first = all.findIndex(({ size }) => size > 0);
  expect(first).toBeGreaterThan(200);
  // All cohorts together come first; nobody is told that everybody is there on the first day.
  expect(await rows.count()).toBe(all.length - first + 1);
  const sum = all.reduce((sum, { size }) => sum + size, 0);
  expect(await rows.nth(0).locator('td').first().textContent()).toBe(sum.toLocaleString('en-US'));
  expect(await rows.nth(1).locator('td').first().textContent()).toBe(String(all[first]!.size));
  const table = page.getByRole('region', { name: 'Retention by cohort' });
  expect(await table.getByRole('columnheader').nth(2).textContent()).toBe('Day 1');
  const [inner, outer] = [await table.locator('table').boundingBox(), await table.boundingBox()];
  expect(inner!.width).toBeGreaterThanOrEqual(outer!.width - 1);
});

test('retention is sorted by any day, as the API sorts it, and explained by a formula that adds up', async () => {
  // Days that are over.
  await open(`retention?range=custom&from=${daysAgo(10)}&to=${daysAgo(5)}&zone=UTC&compare=none`);
  await page.getByRole('button', { name: 'Day 1', exact: true }).click();
  await page.waitForURL(/by=DAY1_RATE/);
  const { app } = await server.ask<{
    app: { productAnalytics: { retentionBreakdown: { nodes: { value: string; visitors: number }[] } } };
  }>(
    `query ($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) {
      retentionBreakdown(dimension: SOURCE, orderBy: DAY1_RATE, first: 50) { nodes { value visitors } } } } }`,
    {
      app: server.apps[0]!.id,
      scope: { range: { start: `${daysAgo(10)}T00:00:00Z`, end: `${daysAgo(4)}T00:00:00Z` } },
    },
  );
  const nodes = app.productAnalytics.retentionBreakdown.nodes;
  await expect
    .poll(async () => (await tableOf('Source')).rows.map(([people]) => people!.replaceAll(',', '')))
    .toEqual(nodes.map(({ visitors }) => String(visitors)));
  await page.getByRole('button', { name: 'Explain Retention by first touch' }).click();
  const formula = await page.getByRole('dialog').locator('code', { hasText: 'returned ÷ eligible' }).textContent();
  const [, returned, eligible, rate] = /= ([\d,]+) ÷ ([\d,]+) = ([\d.]+)%/.exec(formula!)!;
  const number = (text: string) => Number(text.replaceAll(',', ''));
  expect((100 * number(returned!)) / number(eligible!)).toBeCloseTo(Number(rate), 3);
});

test('revenue is sorted by any column, searched, compared with the period before and downloaded as shown', async () => {
  await open(`revenue?${past()}`);
  await page.getByRole('button', { name: 'MRR', exact: true }).click();
  await page.waitForURL(/sort=mrr/);
  const { heads, rows } = await tableOf('Product');
  const at = heads.findIndex((head) => head.startsWith('MRR')) - 1;
  expect(heads[at + 2]).toBe('Previous period');
  const dollars = (text: string) => Number(text.replaceAll(/[$,]/g, ''));
  const shown = rows.map((row) => dollars(row[at]!));
  expect(shown).toEqual(shown.toSorted((a, b) => b - a));
  const ask = (from: number, to: number) =>
    server.ask<{ revenue: { breakdown: { nodes: { value: string; subscriptions: { mrr: number } }[] } } }>(
      `query ($scope: RevenueScope!) { revenue(scope: $scope) { breakdown(dimension: PRODUCT, first: 200) {
        nodes { value subscriptions { mrr } } } } }`,
      {
        scope: {
          appId: server.apps[0]!.id,
          range: { start: `${daysAgo(from)}T00:00:00Z`, end: `${daysAgo(to)}T00:00:00Z` },
        },
      },
    );
  const [now, before] = [await ask(10, 0), await ask(20, 10)];
  const mrr = (answer: typeof now, value: string) =>
    answer.revenue.breakdown.nodes.find((node) => node.value === value)?.subscriptions.mrr ?? 0;
  const [head, ...lines] = await download('By product');
  expect(head).toEqual(['Product', ...heads.slice(1).map((text) => text.replace(/ [↓↑]$/, ''))]);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    expect([line[0], Number(line[at + 1])]).toEqual([line[0], mrr(now, line[0]!)]);
    expect([line[0], Number(line[at + 2])]).toEqual([line[0], mrr(before, line[0]!)]);
  }
  await page
    .locator('section', { has: page.getByRole('heading', { level: 2, name: 'By product', exact: true }) })
    .getByLabel('Search rows')
    .fill(lines[0]![0]!);
  await expect.poll(async () => (await tableOf('Product')).rows.length).toBeLessThan(lines.length);
  expect(await violations(page)).toEqual([]);
});

test('people are sorted, their columns chosen and downloaded', async () => {
  for (const id of ['cy', 'di', 'ed']) await sendAsApp('identify', { appUserId: `device-of-${id}`, customUserId: id });
  await open('people');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Completions').uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Revenue', exact: true }).click();
  await page.waitForURL(/by=REVENUE/);
  const { heads, rows } = await tableOf('User');
  expect(heads).toEqual(['User', 'Starts', 'Revenue ↓', 'First seen', 'Last seen']);
  const revenue = rows.map((row) => Number(row[1]!.replaceAll(/[$,]/g, '')));
  expect(revenue).toEqual(revenue.toSorted((a, b) => b - a));
  const [head, ...lines] = await download('Identified users');
  expect(head).toEqual(['User', 'Starts', 'Revenue', 'First seen', 'Last seen']);
  expect(lines.length).toBe(rows.length);
  expect(lines.map(([id]) => id)).toEqual(expect.arrayContaining(['cy', 'di', 'ed']));
});
