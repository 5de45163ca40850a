import { expect, test } from 'vitest';
import { addressOf, another, enter, flowCalled, open, page, server, suite, visitor } from './suite';
import { serverGone } from './visitor';

suite({ signedIn: false });

test('an address that needs a sign-in comes back after it, and a wrong password is said', async () => {
  await open('acquisition?range=28d');
  await page.waitForURL(/\/sign-in\?to=/);
  await page.getByLabel('Email').fill(server.admin.email);
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The email or the password is wrong.').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill(server.admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/live\/acquisition\?range=28d/);
  await page.getByRole('heading', { level: 1, name: 'Acquisition' }).waitFor();
});

test('a sign-in leads to no other site', async () => {
  for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
    await page.goto(`${server.baseUrl}/sign-in?to=${encodeURIComponent(to)}`);
    await page.getByLabel('Email').fill(server.admin.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(server.admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/live\/home/);
    expect(new URL(page.url()).origin).toBe(server.baseUrl);
    await visitor.context.clearCookies();
  }
});

test('an address that was cut off leads home', async () => {
  await enter();
  const app = page.url().replace(/\/live\/.*/, '');
  for (const path of ['', '/', '/live', '/test/']) {
    await page.goto(app + path);
    await page.waitForURL(path.startsWith('/test') ? /\/test\/home/ : /\/live\/home/);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
});

test('signing out ends the session', async () => {
  await enter();
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/sign-in/);
  await open('home');
  await page.waitForURL(/\/sign-in\?to=/);
});

test('the table of a report is the answer of the API, cell by cell, filtered, sorted and searched', async () => {
  await enter();
  // Days that are over: what arrives while the test runs changes nothing.
  const [from, to] = [daysAgo(10), daysAgo(1)];
  const search = `range=custom&from=${from}&to=${to}&zone=UTC&compare=none`;
  const range = { start: `${from}T00:00:00Z`, end: `${daysAgo(0)}T00:00:00Z` };
  const scope = { environment: 'LIVE', timeZone: 'UTC', range };
  for (const { filters, cross, by, order, q } of [
    { filters: '', cross: undefined, by: 'VISITORS', order: false, q: null },
    {
      filters: '&f=is_not,country,DE,US',
      cross: { country: { op: 'IS_NOT', values: ['DE', 'US'] } },
      by: 'REVENUE',
      order: false,
      q: null,
    },
    {
      filters: '&f=contains,page,/plants',
      cross: { page: { op: 'CONTAINS', values: ['/plants'] } },
      by: 'BOUNCE_RATE',
      order: true,
      q: 'o',
    },
  ]) {
    const { app } = await server.ask<Answer>(
      `query ($app: ID!, $scope: ScopeInput!, $by: SessionMetric!, $up: Boolean!, $q: String) { app(id: $app) { productAnalytics(scope: $scope) {
        attribution(dimension: SOURCE, orderBy: $by, ascending: $up, first: 50, search: $q) { totalCount nodes {
          value visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue } } } } }`,
      { app: server.apps[0]!.id, scope: { ...scope, cross }, by, up: order, q },
    );
    const { nodes, totalCount } = app.productAnalytics.attribution;
    await open(
      `acquisition?dimension=SOURCE&${search}${filters}&by=${by}${order ? '&order=up' : ''}${q ? `&q=${q}` : ''}`,
    );
    const table = page
      .locator('section', { has: page.getByRole('heading', { level: 2, name: 'Source', exact: true }) })
      .locator('table');
    await table.locator('tbody tr').first().waitFor();
    const shown = await table
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [
          row.querySelector('th')!.textContent!.trim(),
          ...[...row.querySelectorAll('td')].map((cell) => cell.title),
        ]),
      );
    expect(shown).toEqual(nodes.map(exactCells));
    expect(shown.length).toBe(Math.min(50, totalCount));
    expect(shown.length).toBeGreaterThan(0);
  }
});

test('a click on a row filters by it, and the address shows the same in another browser', async () => {
  await enter();
  await page.getByRole('button', { name: 'Paid Search' }).first().click();
  await page.waitForURL(/f=is,channel,Paid%20Search/);
  await page.getByLabel('Filters', { exact: true }).getByText('Channel is Paid Search').waitFor();
  const visitors = page.getByRole('button', { name: /^Visitors/ });
  await page.waitForFunction(() => !document.querySelector('[data-stale]'));
  const { page: elsewhere } = await another();
  await enter(elsewhere);
  await elsewhere.goto(page.url());
  await elsewhere.getByLabel('Filters', { exact: true }).getByText('Channel is Paid Search').waitFor();
  await expect
    .poll(() => elsewhere.getByRole('button', { name: /^Visitors/ }).textContent())
    .toBe(await visitors.textContent());
  await page.getByRole('button', { name: /^Remove the filter Channel/ }).click();
  await expect.poll(() => page.url()).not.toContain('f=');
});

test('keys change the range and the page, and the palette finds both', async () => {
  await enter();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('m');
  await page.waitForURL(/range=month/);
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await page.waitForURL(/\/events\?range=month/);
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search pages and actions').fill('devices');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/devices\?range=month/);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Last 28 days').waitFor();
});

test('addresses that pages had before lead to them, with what they say', async () => {
  await enter();
  for (const [before, now, name] of [
    ['technology?range=month&dimension=OS', 'devices?range=month&dimension=OS', 'Devices'],
    ['places?range=month', 'locations?range=month', 'Locations'],
  ] as const) {
    await open(before);
    await expect.poll(() => page.url()).toBe(addressOf(now));
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
});

test('a server that goes away and comes back loses nothing', async () => {
  await enter();
  await open('acquisition');
  await page.getByLabel('Search rows').fill('soci');
  await page.waitForURL(/q=soci/);
  const rows = page.locator('tbody th[scope=row] button');
  await expect.poll(() => rows.count()).toBeGreaterThan(0);
  await server.kill();
  await page.getByRole('button', { name: 'Previous period' }).click();
  await page.getByRole('status').getByText('The server does not answer').waitFor({ timeout: 30_000 });
  expect(await page.getByLabel('Search rows').inputValue()).toBe('soci');
  await server.start();
  await page.reload(); // the session is in the database
  await page.getByRole('heading', { level: 1, name: 'Acquisition' }).waitFor();
  expect(await page.getByLabel('Search rows').inputValue()).toBe('soci');
  visitor.expected = serverGone;
});

test('a page that is opened while the server starts opens by itself', async () => {
  await enter();
  visitor.expected = serverGone;
  let refused = 0;
  const starting = [
    { status: 503, json: { code: 'ingest_unavailable', error: 'ingest_unavailable', message: 'starting' } },
    { status: 503, json: { errors: [{ message: 'the store is away', extensions: { code: 'unavailable' } }] } },
  ];
  await page.route('**/graphql', (route) => {
    const answer = route.request().postDataJSON().operationName === 'Session' ? starting[refused] : undefined;
    if (!answer) return route.fallback();
    refused++;
    return route.fulfill(answer);
  });
  await open('acquisition');
  await page.getByRole('heading', { level: 1, name: 'Acquisition' }).waitFor();
  expect(refused).toBe(2);
  await page.unrouteAll({ behavior: 'ignoreErrors' });

  await server.kill();
  const started = server.start();
  await expect.poll(() => open('engagement').then(Boolean, () => false), { timeout: 30_000 }).toBe(true);
  await page.getByRole('heading', { level: 1, name: 'Engagement' }).waitFor({ timeout: 60_000 });
  await started;
});

test('the funnel of a flow is the answer of the API', async () => {
  await enter();
  const flow = await flowCalled('Welcome');
  const range = { start: `${daysAgo(10)}T00:00:00Z`, end: `${daysAgo(0)}T00:00:00Z` };
  const { flowAnalytics } = await server.ask<{ flowAnalytics: { funnel: { steps: Step[] } } }>(
    `query ($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { funnel { steps { id name reach drop } } } }`,
    { scope: { flowId: flow, timeZone: 'UTC', range, filters: { country: { op: 'IS_NOT', values: ['DE'] } } } },
  );
  await open(
    `flows/${flow}?range=custom&from=${daysAgo(10)}&to=${daysAgo(1)}&zone=UTC&f=is_not,country,DE&f=is,page,/x`,
  );
  const steps = page.locator('ol li');
  await steps.first().waitFor();
  await page.getByText('Page: these filters do not apply to flow runs').waitFor();
  const shown = await steps.evaluateAll((items) =>
    items.map((item) => [
      item.querySelector('b')!.textContent,
      ...[...item.querySelectorAll('[title]')].map((cell) => cell.getAttribute('title')),
    ]),
  );
  const runs = (count: number) => `${count.toLocaleString('en-US')} runs`;
  expect(shown).toEqual(
    flowAnalytics.funnel.steps.map(({ id, name, reach, drop }) => [name || id, runs(reach), runs(drop)]),
  );
  expect(shown.length).toBeGreaterThan(3);
});

test('a channel serves what is pinned here, after it was said by name what that means', async () => {
  await enter();
  await open('channels');
  await page.getByRole('button', { name: /^Reminders/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Reminders' });
  await drawer.getByLabel('Version').click();
  await page.getByRole('option', { name: /^How are we growing\? v1/ }).click();
  await drawer.getByRole('button', { name: 'Set live version…' }).click();
  const asked = page.getByRole('dialog', { name: 'Publish to Reminders' });
  await asked
    .getByRole('definition')
    .filter({ hasText: /^Reminders v1/ })
    .waitFor();
  await asked.getByText(/(about \d+ runs|fewer than 1 run) per day/).waitFor();
  await asked.getByText('How are we growing? has never been live on Reminders.').waitFor();
  await asked.getByText('To go back, set Reminders v1 live again.').waitFor();
  expect(await serving('Reminders')).toBe('Reminders'); // nothing has changed yet
  await asked.getByRole('button', { name: 'Publish How are we growing? v1' }).click();
  await expect.poll(() => serving('Reminders')).toBe('How are we growing?');
  await drawer
    .getByText(/pin by/)
    .first()
    .waitFor();
});

test('an experiment is judged in the words and figures of the API', async () => {
  await enter();
  const { id, name } = await running();
  const { experimentResults } = await server.ask<{ experimentResults: Reported }>(
    `query ($id: ID!) { experimentResults(id: $id) {
      sentence exposed { people { people } }
      metrics {
        metric comparisons { verdict difference }
        series { variants { value interval { low } } }
      }
    } }`,
    { id },
  );
  await open('experiments');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByText(experimentResults.sentence, { exact: true }).waitFor();
  const shown = await page.locator('dl dd').allTextContents();
  expect(shown.map((text) => text.replace(/Create segment$/, ''))).toEqual(
    experimentResults.exposed.people.map(({ people }) => `${people.toLocaleString('en-US')} users`),
  );
  const [primary, ...others] = experimentResults.metrics;
  const points = (primary!.comparisons[0]!.difference * 100).toFixed(1);
  await page.getByText(`+${points} pts`, { exact: true }).first().waitFor();
  const days = page.getByRole('table', { name: /^Difference of .+ by day$/ });
  expect(await days.getByRole('rowheader').count()).toBe(
    primary!.series.filter(({ variants }) => variants[1]!.interval && variants[0]!.value !== null).length,
  );
  // One head for all other metrics, and no values of a handful of users.
  const table = page.getByRole('region', { name: 'Other metrics' });
  expect(await table.getByRole('columnheader', { name: 'Chance to win' }).count()).toBe(1);
  const few = others.filter(({ comparisons }) => comparisons[0]?.verdict === 'TOO_EARLY');
  expect(few.length).toBeGreaterThan(0);
  expect(await table.getByText('Too few users to say').count()).toBe(few.length);
});

type Reported = {
  sentence: string;
  exposed: { people: { people: number }[] };
  metrics: {
    metric: string;
    comparisons: { verdict: string; difference: number }[];
    series: { variants: { value: number | null; interval: { low: number } | null }[] }[];
  }[];
};

/** The running experiment of the demo that has its planned users. */
async function running(): Promise<{ id: string; name: string }> {
  const { app } = await server.ask<{ app: { experiments: { nodes: { id: string; name: string }[] } } }>(
    `query ($app: ID!) { app(id: $app) { experiments { nodes { id name } } } }`,
    { app: server.apps[0]!.id },
  );
  return app.experiments.nodes.find(({ name }) => name === 'Ask for a goal first')!;
}

/** The flow that a live channel serves. */
async function serving(channel: string): Promise<string | undefined> {
  const { app } = await server.ask<{
    app: { environment: { channels: { nodes: { name: string; version: { flow: { name: string } } | null }[] } } };
  }>(`query ($app: ID!) { app(id: $app) { environment { channels { nodes { name version { flow { name } } } } } } }`, {
    app: server.apps[0]!.id,
  });
  return app.environment.channels.nodes.find(({ name }) => name === channel)?.version?.flow.name;
}

type Step = { id: string; name: string; reach: number; drop: number };

type Row = {
  value: string;
  visitors: number;
  sessions: number;
  views: number;
  events: number;
  newVisitors: number;
  bounceRate: number | null;
  averageSessionSeconds: number | null;
  viewsPerSession: number | null;
  revenue: number;
};
type Answer = { app: { productAnalytics: { attribution: { totalCount: number; nodes: Row[] } } } };

/** A row as the page must show it, written by itself here. */
function exactCells(row: Row): string[] {
  const count = (value: number) => value.toLocaleString('en-US');
  const or = (value: number | null, text: (value: number) => string) => (value === null ? '–' : text(value));
  return [
    row.value || '(none)',
    count(row.visitors),
    count(row.sessions),
    count(row.views),
    count(row.events),
    count(row.newVisitors),
    or(row.bounceRate, (value) => value.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 4 })),
    or(row.averageSessionSeconds, (value) => `${value.toLocaleString('en-US', { maximumFractionDigits: 2 })} s`),
    or(row.viewsPerSession, (value) => value.toLocaleString('en-US', { maximumFractionDigits: 6 })),
    row.revenue.toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
  ];
}

const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
