import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';

const { pageUrl, binary, baseUrl, apiKey, appId } = inject('setup');
const CHROME = [process.env.CHROME_BIN, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** What the page and the service said to each other on one SDK path. */
interface Exchange {
  path: string;
  status: number;
  names: string[];
  stored: number;
}

let browser: Browser;
let context: BrowserContext;
let exchanges: Exchange[];
const errors: string[] = [];

beforeAll(async () => {
  const executablePath = CHROME.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('The end-to-end tests need Chromium: install it or set CHROME_BIN.');
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
});
afterEach(async () => {
  await context.close();
  expect(errors.splice(0)).toEqual([]);
});

async function open(before?: (page: Page) => Promise<void>): Promise<Page> {
  context = await browser.newContext({
    locale: 'en-US',
    reducedMotion: 'reduce',
    viewport: { width: 900, height: 1000 },
  });
  exchanges = [];
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('response', async (response) => {
    const path = response.url().split('/v1/sdk')[1]?.split('?')[0];
    if (path === undefined || response.request().method() === 'OPTIONS') return;
    const sent = JSON.parse(response.request().postData() ?? '{}') as { events?: { name: string }[] };
    const body = (await response.json().catch(() => ({}))) as { stored?: number };
    const names = sent.events?.map((event) => event.name) ?? [];
    exchanges.push({ path, status: response.status(), names, stored: body.stored ?? 0 });
  });
  await before?.(page);
  await page.goto(pageUrl);
  await page.getByText('May we count visits?').waitFor();
  return page;
}

const answered = (path: string) => exchanges.filter((exchange) => exchange.path === path && exchange.status === 200);
const names = (path: string) => answered(path).flatMap((exchange) => exchange.names);
const stored = (path: string) => answered(path).reduce((sum, exchange) => sum + exchange.stored, 0);
const shown = (page: Page, id: string) => page.waitForSelector(`[data-screen="${id}"]`);

function read(...command: string[]): unknown {
  const output = execFileSync(binary, ['analytics', 'product', ...command, appId, '--env', 'test'], {
    encoding: 'utf8',
    env: { ...process.env, SVC_API_URL: baseUrl, SVC_API_KEY: apiKey },
  });
  return JSON.parse(output);
}

/** Walks through the welcome flow, which the channel "Onboarding" serves. */
async function walkThrough(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Onboarding pinned' }).click();
  await shown(page, 'scr_welcome');
  await page.getByRole('button', { name: 'Skip the intro' }).click();
  await shown(page, 'scr_name');
  await page.locator('input.svc-field').fill('Ana');
  await page.keyboard.press('Enter');
  await shown(page, 'scr_notify');
  await page.getByText('Ana').first().waitFor();
}

describe('the example against a real service', () => {
  it('stores exactly what happened, and the reports count it', async () => {
    const before = read('summary') as { visitors: number; views: number; events: number };
    const page = await open();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('button', { name: 'Water the fern' }).click();
    await walkThrough(page);
    await page.locator('[data-screen] button.svc-press').last().click();
    await shown(page, 'scr_ready');
    await page.locator('[data-screen] button.svc-press').last().click();
    const snapshot = JSON.parse((await page.textContent('#snapshot')) ?? '');
    expect(snapshot).toMatchObject({
      schemaVersion: 1,
      terminal: 'completed',
      answers: { first_name: { value: 'Ana', classification: 'sensitive' }, scr_welcome: { goToScreen: 'scr_name' } },
    });

    // A terminal event is sent at once, so nothing has to be waited for but the answer.
    await expect.poll(() => names('/events')).toContain('flow_completed');
    const flow = names('/events');
    expect(flow.filter((name) => name === 'flow_started')).toHaveLength(1);
    expect(flow.filter((name) => name === 'step_viewed')).toHaveLength(4);
    expect(flow).not.toContain('flow_abandoned');
    expect(stored('/events')).toBe(flow.length);

    await page.getByRole('button', { name: 'Plantly' }).click();
    await page.goBack();
    await expect.poll(() => stored('/analytics/events'), { timeout: 15_000 }).toBeGreaterThanOrEqual(6);
    const product = names('/analytics/events');
    expect(product.slice(0, 2)).toEqual(['session_start', 'first_visit']);
    const counted = (name: string) => product.filter((other) => other === name).length;
    await expect
      .poll(() => read('summary') as typeof before, { timeout: 10_000 })
      .toMatchObject({
        visitors: before.visitors + 1,
        views: before.views + counted('page_view'),
        events: before.events + counted('plant_watered'),
      });
  });

  it('asks again with a tag and is told that nothing changed', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('button', { name: 'Onboarding pinned' }).click();
    await shown(page, 'scr_welcome');
    await page.getByRole('button', { name: 'Plantly' }).click();
    await page.getByRole('button', { name: 'Onboarding pinned' }).click();
    await shown(page, 'scr_welcome');
    await expect
      .poll(() => exchanges.filter(({ path }) => path === '/resolve').map(({ status }) => status))
      .toContain(304);
  });

  it('keeps events while there is no network and stores them when it is back', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Onboarding pinned' }).click();
    await shown(page, 'scr_welcome');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Skip the intro' }).click();
    await shown(page, 'scr_name');
    await page.locator('input.svc-field').fill('Bo');
    await page.keyboard.press('Enter');
    await shown(page, 'scr_notify');
    await page.locator('[data-screen] button.svc-press').last().click();
    await shown(page, 'scr_ready');
    await page.locator('[data-screen] button.svc-press').last().click();
    await page.waitForSelector('#snapshot');
    expect(names('/events')).toEqual([]);
    await context.setOffline(false);
    await expect.poll(() => names('/events'), { timeout: 30_000 }).toContain('flow_completed');
    expect(names('/events').filter((name) => name === 'step_viewed')).toHaveLength(4);
    expect(stored('/events')).toBe(names('/events').length);
  });

  it('records a run that is left as abandoned, once', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Onboarding pinned' }).click();
    await shown(page, 'scr_welcome');
    await page.getByRole('button', { name: 'Plantly' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    expect(names('/events').filter((name) => name === 'flow_abandoned')).toHaveLength(1);
    expect(names('/events').filter((name) => name === 'flow_started')).toHaveLength(1);
  });

  it('shows that an archived channel cannot be loaded', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Old onboarding archived' }).click();
    await page.getByRole('alert').waitFor();
    expect(exchanges.find(({ path }) => path === '/resolve')?.status).toBe(410);
    expect(names('/events')).toEqual([]);
  });

  it('serves every person one arm of an experiment, and the same one again', async () => {
    const page = await open();
    const arms = new Map<string, string | null>();
    for (const person of ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8', 'p1']) {
      await page.getByRole('button', { name: 'Plantly' }).click();
      await page.getByLabel('Person').fill(person);
      await page.getByRole('button', { name: 'Onboarding experiment' }).click();
      await page.waitForSelector('[data-screen]');
      const first = await page.getAttribute('[data-screen]', 'data-screen');
      if (arms.has(person)) expect(first).toBe(arms.get(person));
      arms.set(person, first);
    }
    expect([...new Set(arms.values())].sort()).toEqual(['scr_goal', 'scr_welcome']);
  });

  it('leaves for a payment, comes back and goes on where it was', async () => {
    const page = await open();
    let link: URL | undefined;
    // The test plays the payment side: the attempts and the processor's page.
    const attemptId = '0e0f0a0b-1111-4222-8333-444455556666';
    await context.route('**/v1/sdk/stripe/checkout-attempts**', (route) =>
      route.fulfill({
        json: { attemptId, status: 'cancelled', expiresAt: '2030-01-01T00:00:00Z' },
        headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
      }),
    );
    await context.route('https://buy.stripe.com/**', async (route) => {
      link = new URL(route.request().url());
      await route.fulfill({ contentType: 'text/html', body: '<h1>Payment page</h1>' });
    });
    await page.getByRole('button', { name: 'Paywall pinned' }).click();
    await shown(page, 'scr_offer');
    const flowPage = page.url();
    await page.getByRole('button', { name: 'See plans' }).click();
    await page.getByRole('heading', { name: 'Payment page' }).waitFor();
    expect(link?.searchParams.get('client_reference_id')).toBe(attemptId);

    // The run goes on: it is not started again.
    exchanges = [];
    await page.goto(`${flowPage}?svc_stripe_status=cancel&svc_stripe_resume=${attemptId}`);
    await page.waitForSelector('[data-screen]');
    expect(await page.getAttribute('[data-screen]', 'data-screen')).not.toBe('scr_offer');
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Plantly' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    const all = names('/events');
    expect(all).not.toContain('flow_started');
    expect(all.filter((name) => name === 'surface_outcome')).toHaveLength(1);
    expect(all).not.toContain('iap_purchase');
  });

  it('touches no storage and counts nobody before consent, and nothing more after a denial', async () => {
    const page = await open(async (fresh) => {
      await fresh.addInitScript(() => {
        const touched: string[] = [];
        (window as unknown as { touched: string[] }).touched = touched;
        const ours = (key: unknown) => typeof key === 'string' && /^svc[_:]/.test(key);
        for (const name of ['getItem', 'setItem', 'removeItem'] as const) {
          const original = Storage.prototype[name] as (...parts: string[]) => unknown;
          Storage.prototype[name] = function (this: Storage, ...parts: string[]) {
            if (ours(parts[0])) touched.push(`${name} ${parts[0]}`);
            return original.apply(this, parts);
          } as never;
        }
      });
    });
    const touched = () => page.evaluate(() => (window as unknown as { touched: string[] }).touched);
    const kept = () => page.evaluate(() => Object.keys(localStorage).concat(Object.keys(sessionStorage)));
    await page.getByRole('button', { name: 'Water the fern' }).click();
    await walkThrough(page);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const unwanted = (await touched()).filter((entry) => !entry.startsWith('getItem svc_stripe_checkout_resume'));
    expect([unwanted, (await kept()).filter((key) => key.startsWith('svc'))]).toEqual([[], []]);
    expect(names('/analytics/events')).toEqual([]);

    await page.getByRole('button', { name: 'No', exact: true }).click();
    await page.getByRole('button', { name: 'Plantly' }).click();
    await page.getByRole('button', { name: 'Water the fern' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    expect(names('/analytics/events')).toEqual([]);
    expect((await kept()).filter((key) => key.startsWith('svc'))).toEqual([]);
  });
});
