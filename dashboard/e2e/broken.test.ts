import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fault, FaultyProxy } from './proxy';
import { addressOf, open, page, server, suite, visitor } from './suite';

const proxy = new FaultyProxy();
suite({ settings: { SVC_BASE_URL: await proxy.listen() } });
beforeAll(() => {
  proxy.target = server.address;
});
afterAll(() => proxy.close());

const bar = () => page.getByRole('status').getByText('The server does not answer');
const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
const past = (days: number) => `range=custom&from=${daysAgo(days)}&to=${daysAgo(1)}&zone=UTC`;

/** What the browser says of answers that the proxy spoils. */
const spoilt = /Failed to load resource|Failed to fetch|net::ERR|network error/;

/** The visitors of some days, as the API says. */
async function visitors(days: number): Promise<string> {
  const { app } = await server.ask<{ app: { productAnalytics: { summary: { visitors: number } } } }>(
    `query ($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) { summary { visitors } } } }`,
    {
      app: server.apps[0]!.id,
      scope: { timeZone: 'UTC', range: { start: `${daysAgo(days)}T00:00:00Z`, end: `${daysAgo(0)}T00:00:00Z` } },
    },
  );
  return app.productAnalytics.summary.visitors.toLocaleString('en-US');
}

/** The figure that the page shows as it is now, and not as one that is being replaced. */
const shown = async () =>
  page.getByRole('button', { name: /^Visitors/ }).evaluate((button) => ({
    figure: button.querySelector('[title]')?.getAttribute('title') ?? button.querySelector('b')!.textContent,
    stale: button.closest('[data-stale]') !== null,
  }));

test.each<Fault>(['cut', 'page', 'half'])('a report stays, says so and comes back by itself: %s', async (fault) => {
  visitor.expected = spoilt;
  const [before, after] = [await visitors(10), await visitors(3)];
  expect(before).not.toBe(after);
  await open(`home?${past(10)}`);
  await expect.poll(shown).toEqual({ figure: before, stale: false });
  proxy.fault = fault;
  // The page goes on to another range without being loaded anew.
  await page.evaluate((search) => {
    history.pushState(null, '', `${location.pathname}?${search}`);
    dispatchEvent(new PopStateEvent('popstate'));
  }, past(3));
  await bar().waitFor({ timeout: 15_000 });
  expect(await shown()).toEqual({ figure: before, stale: true });
  expect(await page.getByRole('heading', { level: 1, name: 'Home' }).count()).toBe(1);
  proxy.fault = 'none';
  await expect.poll(shown, { timeout: 20_000 }).toEqual({ figure: after, stale: false });
  await bar().waitFor({ state: 'detached' });
});

test('answers that come late are waited for, and the page says nothing wrong meanwhile', async () => {
  const [before, after] = [await visitors(10), await visitors(3)];
  await open(`home?${past(10)}`);
  await expect.poll(shown).toEqual({ figure: before, stale: false });
  proxy.fault = 'slow';
  await page.evaluate((search) => {
    history.pushState(null, '', `${location.pathname}?${search}`);
    dispatchEvent(new PopStateEvent('popstate'));
  }, past(3));
  await expect.poll(shown).toEqual({ figure: before, stale: true });
  await expect.poll(shown, { timeout: 20_000 }).toEqual({ figure: after, stale: false });
  expect(await bar().count()).toBe(0);
  proxy.fault = 'none';
});

test('what a server cannot answer now is asked again by itself', async () => {
  visitor.expected = spoilt;
  const [before, after] = [await visitors(10), await visitors(3)];
  await open(`home?${past(10)}`);
  await expect.poll(shown).toEqual({ figure: before, stale: false });
  proxy.fault = 'busy';
  await page.evaluate((search) => {
    history.pushState(null, '', `${location.pathname}?${search}`);
    dispatchEvent(new PopStateEvent('popstate'));
  }, past(3));
  await page.getByText('Reports cannot be answered now').first().waitFor();
  proxy.fault = 'none';
  await expect.poll(shown, { timeout: 20_000 }).toEqual({ figure: after, stale: false });
  expect(await page.getByText('Reports cannot be answered now').count()).toBe(0);
});

test('a page that is opened while nothing answers is not blank, and opens by itself', async () => {
  visitor.expected = spoilt;
  for (const fault of ['page', 'cut', 'half'] as const) {
    proxy.fault = fault;
    await page.goto(addressOf('acquisition'));
    await page.getByText('The server does not answer').first().waitFor({ timeout: 15_000 });
    proxy.fault = 'none';
    await page.getByRole('heading', { level: 1, name: 'Acquisition' }).waitFor({ timeout: 20_000 });
    await page.locator('tbody tr').first().waitFor();
  }
});

test.each([
  { path: 'channels', opener: 'New channel', field: 'Name of the channel', text: 'Typed while away', act: 'Create' },
  { path: 'flows', opener: 'New flow', field: 'Name', text: 'Flow typed while away', act: 'Create flow' },
  { path: 'automations', opener: 'New automation', field: 'Name of the automation', text: 'Automation', act: 'Create' },
  { path: 'settings', opener: undefined, field: 'Name of the key', text: 'Key typed while away', act: 'Create key' },
  {
    path: 'settings?tab=people',
    opener: undefined,
    field: 'Email of the new member',
    text: 'ada@plants.example',
    act: 'Invite',
  },
])(
  'what is typed into a form of $path is kept until the server is back',
  async ({ path, opener, field, text, act }) => {
    visitor.expected = spoilt;
    await open(path);
    if (opener) await page.getByRole('button', { name: opener }).first().click();
    const input = page.getByRole('textbox', { name: field }).last();
    await input.fill(text);
    if (path === 'settings') {
      await page.getByRole('combobox', { name: 'Scopes of the key' }).click();
      await page.getByRole('option', { name: 'analytics:read' }).click();
      await page.keyboard.press('Escape');
    }
    const button = page.getByRole('button', { name: act, exact: true }).last();
    for (const fault of ['cut', 'page'] as const) {
      proxy.fault = fault;
      await button.click();
      await bar().waitFor({ timeout: 15_000 });
      await expect.poll(() => page.getByText('Nothing is lost').count()).toBeGreaterThan(0);
      expect(await input.inputValue()).toBe(text);
      proxy.fault = 'none';
      await bar().waitFor({ state: 'detached', timeout: 20_000 });
      expect(await input.inputValue()).toBe(text);
    }
    await button.click();
    // The form is gone, or ready for another one.
    const typed = () => input.evaluateAll((inputs: HTMLInputElement[]) => inputs.map(({ value }) => value));
    await expect.poll(typed).not.toContain(text);
  },
);

test('a stream that breaks says so and goes on', async () => {
  visitor.expected = spoilt;
  await open('live');
  const count = page.getByText(/visitors? online now$/);
  await count.waitFor();
  proxy.fault = 'cut';
  proxy.break();
  await page.getByText('the connection is lost, trying again').waitFor({ timeout: 20_000 });
  proxy.fault = 'none';
  await count.waitFor({ timeout: 20_000 });
});
