import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addressOf, another, enter, flowCalled, open, page, server, suite } from './suite';
import { violations } from './visitor';

suite();

/** The words of a screen's layers in a language: of a region the language itself, and the default's where there are none. */
function textsOf(layer: unknown, locale: string): string[] {
  if (typeof layer !== 'object' || layer === null) return [];
  if ('default' in layer && typeof layer.default === 'string') {
    const translations = ('translations' in layer ? layer.translations : {}) as Record<string, string>;
    return [translations[locale] ?? translations[locale.split('-')[0]!] ?? layer.default];
  }
  return Object.values(layer).flatMap((child) => textsOf(child, locale));
}
const without = (texts: string[], others: string[]) => texts.filter((text) => !others.includes(text));

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

test('a thousand people scroll, and only those in sight are drawn', async () => {
  await open('visitors?range=12mo&rows=1000');
  const table = page.locator('table');
  await table.locator('tbody tr').first().waitFor();
  const total = Number((await table.getAttribute('aria-rowcount')) ?? 0) - 1;
  expect(total).toBeGreaterThan(300);
  expect(await table.locator('tbody tr').count()).toBeLessThan(100);
  await page.getByRole('region', { name: 'Visitor' }).evaluate((scroller) => scroller.scrollTo(0, 1e6));
  await page.locator(`tr[aria-rowindex="${total + 1}"]`).waitFor();
});

test('visitors and users are people: no ids, no bars, and where and by what they came', async () => {
  for (const [path, name] of [
    ['visitors?rows=200', 'Visitor'],
    ['people', 'User'],
  ] as const) {
    await open(path);
    const table = page.getByRole('region', { name });
    await table.locator('tbody tr').first().waitFor();
    expect(await table.locator('[class*="bar"]').count()).toBe(0);
    expect(await table.textContent()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(await table.getByText('Germany').count()).toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
  }
  await open('visitors');
  const row = page
    .getByRole('region', { name: 'Visitor' })
    .getByRole('button', { name: /^[A-Z][a-z]+ [A-Z][a-z]+ [0-9a-f]{4}/ })
    .first();
  const handle = await row.locator('b').textContent();
  await row.click();
  const drawer = page.getByRole('dialog', { name: handle! });
  await drawer.locator('code').waitFor();
  expect((await drawer.locator('code').textContent())!.endsWith(handle!.split(' ').at(-1)!)).toBe(true);
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

test('the playground runs what a report asked, completes by the schema and keeps what ran', async () => {
  await open(`acquisition?${past()}`);
  await page.getByRole('button', { name: 'Explain Channel', exact: true }).click();
  await page.getByRole('link', { name: 'Open in the playground' }).click();
  await page.waitForURL(/\/playground#query=/);
  await page.getByRole('button', { name: 'Run ⌘↵' }).click();
  await page.getByText(/^Answered in/).waitFor();
  const answer = page.getByRole('textbox', { name: 'Answer' });
  await expect.poll(() => answer.textContent()).toContain('"totalCount"'); // what is in sight
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
    await page.getByRole('menuitem', { name: /^Live visitors/ }).click();
    await page.getByRole('button', { name: 'Run ⌘↵' }).click();
    const answers = page.getByRole('list', { name: 'Answers, the newest first' }).getByRole('listitem');
    await expect.poll(() => answers.first().textContent()).toContain('"live"');
    // Somebody comes: another answer, in front of the one before.
    await app('analytics/events', {
      events: [
        {
          eventId: `live-${colorScheme}`,
          name: 'page_view',
          page: '/live',
          appUserId: `live-${colorScheme}`,
          sessionId: 's',
        },
      ],
    });
    await expect.poll(() => answers.count()).toBeGreaterThan(1);
    const number = async (i: number) => Number(/Answer (\d+)/.exec((await answers.nth(i).textContent())!)![1]);
    expect(await number(0)).toBe((await number(1)) + 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    const held = await answers.count();
    await app('analytics/events', {
      events: [
        {
          eventId: `more-${colorScheme}`,
          name: 'page_view',
          page: '/more',
          appUserId: `more-${colorScheme}`,
          sessionId: 's',
        },
      ],
    });
    await page.getByText(/more came since/).waitFor();
    expect(await answers.count()).toBe(held);
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => answers.count()).toBeGreaterThan(held);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page
      .getByRole('status')
      .getByText(/Stopped\.$/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
  }
});

/** Sends something to the SDK's API as an app does, with the key of an environment. */
async function app(path: string, body: object): Promise<Response> {
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

test('a person is found by email, shows who they are, is exported, and erased only under their name', async () => {
  const custom = 'reader-of-plants';
  const email = 'ada@plants.example';
  const identified = await app('identify', {
    appUserId: 'device-of-ada',
    customUserId: custom,
    email,
    marketingConsent: 'granted',
    firstName: 'Ada',
  });
  expect(identified.status).toBe(200);
  await open('people');
  await page.getByLabel('Device ID, user ID or email starts with').fill('ada@');
  await page.waitForURL(/q=ada%40|q=ada@/);
  await page.getByRole('link', { name: 'Ada' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
  await page.getByText('device-of-ada').waitFor();
  await page.getByText('granted', { exact: true }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all data' }).click();
  expect(readFileSync(await (await waiting).path(), 'utf8')).toContain(email);
  await page.getByRole('button', { name: 'Erase…' }).click();
  const erase = page.getByRole('button', { name: 'Erase permanently' });
  expect(await erase.isDisabled()).toBe(true);
  await page.getByLabel('User id').fill(custom);
  await erase.click();
  await page.getByRole('status').filter({ hasText: 'rased' }).waitFor();
  await open('people?q=ada@');
  await page.getByText('No user’s id or email starts with “ada@”').waitFor();
});

test('a run is replayed in the version that it went through, with what was chosen', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}?range=28d`);
  const row = page.getByRole('button', { name: /Completed/ }).first();
  await row.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('completed the flow').waitFor();
  const id = new URL(page.url()).searchParams.get('run');
  const { flowAnalytics } = await server.ask<{
    flowAnalytics: {
      run: {
        run: { path: { stepId: string }[]; versionId: string; locale: string };
        hits: { name: string; properties: { value?: string } | null }[];
      };
    };
  }>(
    `query ($flow: ID!, $id: String!) { flowAnalytics(scope: { flowId: $flow }) { run(id: $id) {
      run { path { stepId } versionId locale } hits { name properties } } } }`,
    { flow, id },
  );
  const { run, hits } = flowAnalytics.run;
  const { flowVersion } = await server.ask<{ flowVersion: { manifest: { screens: { id: string }[] } } }>(
    `query ($id: ID!) { flowVersion(id: $id) { manifest } }`,
    { id: run.versionId },
  );
  const [first, second] = run.path.map(({ stepId }) =>
    textsOf(
      flowVersion.manifest.screens.find(({ id }) => id === stepId),
      run.locale,
    ),
  ) as [string[], string[]];
  expect(await dialog.locator('ol > li').count()).toBe(run.path.length);
  const chosen = hits.filter(({ name }) => name === 'choice_selected').map(({ properties }) => properties!.value);
  expect(await dialog.locator('ol ul li', { hasText: 'chose' }).allTextContents()).toEqual(
    chosen.map((value) => `chose ${value}`),
  );
  const screen = page.frameLocator('iframe[title^="Screen "]').locator('body');
  const drawn = async (texts: string[]) => {
    const lines = (await screen.innerText()).split('\n').map((line) => line.trim());
    return texts.filter((text) => lines.includes(text));
  };
  const [onlyFirst, onlySecond] = [without(first, second), without(second, first)];
  await expect.poll(() => drawn(onlyFirst)).not.toEqual([]);
  expect(await drawn(onlySecond)).toEqual([]);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText(`2 of ${run.path.length}`).waitFor();
  await expect.poll(() => drawn(onlySecond)).not.toEqual([]);
  expect(await drawn(onlyFirst)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => row.evaluate((row) => row === document.activeElement)).toBe(true);
});

test('the picture of a flow has its steps with the runs that the API says', async () => {
  const flow = await flowCalled('Welcome');
  const range = { start: `${daysAgo(10)}T00:00:00Z`, end: `${daysAgo(0)}T00:00:00Z` };
  const { flowAnalytics } = await server.ask<{
    flowAnalytics: { funnel: { steps: { id: string; name: string; reach: number; drop: number }[] } };
  }>(
    `query ($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { funnel { steps { id name reach drop } } } }`,
    {
      scope: { flowId: flow, timeZone: 'UTC', range },
    },
  );
  await open(`flows/${flow}?${past()}`);
  const picture = page.getByRole('region', { name: 'Funnel diagram' });
  await picture.locator('g').first().waitFor();
  const said = await picture.locator('g > title').allTextContents();
  const count = (value: number) => value.toLocaleString('en-US');
  expect(said.toSorted()).toEqual(
    flowAnalytics.funnel.steps
      .filter(({ reach }) => reach > 0)
      .map(({ id, name, reach, drop }) => `${name || id}: ${count(reach)} runs, ${count(drop)} dropped off here`)
      .toSorted(),
  );
  expect(await picture.locator('path').count()).toBeGreaterThan(said.length - 1);
  const screen = picture.locator('iframe').first();
  await screen.scrollIntoViewIfNeeded();
  await expect.poll(() => screen.contentFrame().locator('body').innerText()).toMatch(/\w/);
});

test('a chart says what was changed, and the page of ingest what it refused and why', async () => {
  await open('home?range=28d');
  await page.getByRole('img', { name: /^Visitors over time/ }).focus();
  await page.keyboard.press('End');
  await page
    .locator('small', { hasText: /was published, by \S/ })
    .first()
    .waitFor();
  const refused = await app('analytics/events', { events: [{ eventId: 'without-a-name', appUserId: 'x' }] });
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
  for (const id of ['cy', 'di', 'ed']) await app('identify', { appUserId: `device-of-${id}`, customUserId: id });
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
