import { execFileSync } from 'node:child_process';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from './browser';

const { pageUrl, binary, baseUrl, apiKey, appId, databaseUrl } = inject('setup');

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
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});
afterEach(async () => {
  await context.close();
  expect(errors.splice(0)).toEqual([]);
});

/** Opens the app as somebody who knows it; a new person is led into the onboarding at once. */
async function open(before?: (page: Page) => Promise<void>, isNew = false): Promise<Page> {
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
  if (!isNew) {
    await page.addInitScript(() => {
      if (location.origin !== 'null') localStorage.setItem('tendril', '{"onboarded":true}'); // about:blank has none
    });
  }
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

interface StoredEvent {
  eventId: string;
  name: string;
  stepId?: string;
  identity: { appUserId: string };
  properties?: Record<string, unknown>;
}

/** The flow events that the database holds of a person. */
function storedFlowEvents(appUserId: string): StoredEvent[] {
  const flags = ['--kind', 'flow', '--app', appId, '--env', 'test', '--database-url', databaseUrl];
  const output = execFileSync(binary, ['export', 'events', ...flags], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const events = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredEvent);
  return events.filter(({ identity }) => identity.appUserId === appUserId);
}

async function openFlow(page: Page, person: string, channel: string): Promise<void> {
  await page.getByLabel('Person').fill(person);
  await page.getByRole('button', { name: `${channel} pinned` }).click();
}

/** Walks through the welcome flow, which the channel "Onboarding" serves. */
async function walkThrough(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Onboarding pinned' }).click();
  await shown(page, 'scr_welcome');
  await page.getByRole('button', { name: 'Skip the questions' }).click();
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

    await page.getByRole('button', { name: 'Tendril' }).click();
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
    await page.getByRole('button', { name: 'Tendril' }).click();
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
    await page.getByRole('button', { name: 'Skip the questions' }).click();
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
    await page.getByRole('button', { name: 'Tendril' }).click();
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
    const armOf = async (person: string) => {
      await page.getByRole('button', { name: 'Tendril' }).click();
      await page.getByLabel('Person').fill(person);
      await page.getByRole('button', { name: 'Onboarding experiment' }).click();
      await page.waitForSelector('[data-screen]');
      return page.getAttribute('[data-screen]', 'data-screen');
    };
    // The arm is a hash of the person and the experiment, whose id is new with every server: eight people share one
    // arm in 1 of 128 runs. At least 8 people come, and more until both arms were seen; 40 share one in 1 of 2^39.
    const arms = new Map<string, string | null>();
    for (let n = 1; n <= 8 || (n <= 40 && new Set(arms.values()).size < 2); n++)
      arms.set(`p${n}`, await armOf(`p${n}`));
    expect([...new Set(arms.values())].sort()).toEqual(['scr_goal', 'scr_welcome']);
    for (const person of ['p1', 'p5']) expect(await armOf(person)).toBe(arms.get(person));
  });

  it('leaves for a payment, comes back and goes on where it was', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Paywall pinned' }).click();
    await shown(page, 'scr_offer');
    const flowPage = page.url();
    await page.getByRole('button', { name: 'Start my free week' }).click();
    await page.getByRole('button', { name: 'Pay', exact: true }).waitFor();
    const attemptId = new URL(page.url()).searchParams.get('client_reference_id');
    expect(attemptId).toMatch(/^[0-9a-f-]{36}$/);

    // The run goes on: it is not started again.
    exchanges = [];
    await page.goto(`${flowPage}?svc_stripe_status=cancel&svc_stripe_resume=${attemptId}`);
    await page.waitForSelector('[data-screen]');
    expect(await page.getAttribute('[data-screen]', 'data-screen')).not.toBe('scr_offer');
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Tendril' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    const all = names('/events');
    expect(all).not.toContain('flow_started');
    expect(all.filter((name) => name === 'surface_outcome')).toHaveLength(1);
    expect(all).not.toContain('iap_purchase');
  });

  it('sees a purchase arrive: the run goes on, the attempt is confirmed and the money is in the reports', async () => {
    const before = read('summary') as { revenue: number };
    const page = await open();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('button', { name: 'Paywall pinned' }).click();
    await shown(page, 'scr_offer');
    await page.getByRole('radio', { name: 'Monthly' }).click();
    await page.getByRole('button', { name: 'Start my free week' }).click();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await shown(page, 'scr_thanks');
    await page.getByRole('button', { name: 'To my plants' }).click();
    await page.getByText('Plus is on').waitFor();
    await expect.poll(() => names('/events'), { timeout: 10_000 }).toContain('surface_outcome');
    await expect
      .poll(() => Math.round(((read('summary') as typeof before).revenue - before.revenue) * 100), { timeout: 15_000 })
      .toBe(699);
  });

  it('leads a new person into the onboarding, and an old one home', async () => {
    const page = await open(undefined, true);
    await shown(page, 'scr_welcome');
    await page.getByRole('button', { name: 'Find my plan' }).click();
    for (const [screen, answer] of [
      ['scr_goal', 'Rescue one that struggles'],
      ['scr_symptoms', 'Yellow leaves'],
      ['scr_light', 'Rather dim'],
      ['scr_habit', 'Too often, I fear'],
      ['scr_pets', 'A cat'],
    ] as const) {
      await shown(page, screen);
      await page.locator('[data-option]').filter({ hasText: answer }).click();
      if (screen === 'scr_symptoms' || screen === 'scr_pets')
        await page.getByRole('button', { name: 'Continue' }).click();
    }
    await shown(page, 'scr_proof');
    await page.getByRole('button', { name: 'Continue' }).click();
    await shown(page, 'scr_when');
    await page.getByRole('radio', { name: 'At lunch' }).click();
    await shown(page, 'scr_name');
    await page.locator('input.svc-field').fill('Ana');
    await page.keyboard.press('Enter');
    await shown(page, 'scr_notify');
    await page.getByRole('button', { name: 'Not now' }).click();
    // The result is made of the answers.
    await shown(page, 'scr_result');
    await page.getByText('Ana, you love them a little too much').waitFor();
    await page.getByText('Fern, ZZ plant and a trailing pothos').waitFor();
    await page.getByText('Rescue first').waitFor();
    await page.getByRole('button', { name: 'Start my plan' }).click();
    await page.getByText('Good morning, Ana').waitFor();
    await page.reload();
    await page.getByText('Good morning, Ana').waitFor();
  });

  it('fits its phone frame into a low window, and needs no frame in a narrow one', async () => {
    const page = await open();
    const phone = () => page.locator('.phone').evaluate((element) => element.getBoundingClientRect().toJSON());
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(async () => (await phone()).bottom).toBeLessThanOrEqual(800);
    expect((await phone()).height).toBeGreaterThan(650);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => [(await phone()).width, (await phone()).height]).toEqual([390, 844]);
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
    await page.getByRole('button', { name: 'Tendril' }).click();
    await page.getByRole('button', { name: 'Water the fern' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    expect(names('/analytics/events')).toEqual([]);
    expect((await kept()).filter((key) => key.startsWith('svc'))).toEqual([]);
  });

  it('walks through every kind of layer to the end, and the database holds what was clicked', async () => {
    const page = await open();
    const go = (id: string) => page.locator(`[data-layer="${id}"]`).click();
    await openFlow(page, 'all-layers-walker', 'All layers');
    await shown(page, 'scr_al_media');
    await go('lyr_al_go');
    await shown(page, 'scr_al_feedback');
    for (let slide = 0; slide < 3; slide += 1) await go('lyr_al_nx');
    await shown(page, 'scr_al_choice');
    await page.getByRole('radio', { name: 'Shade' }).click();
    await shown(page, 'scr_al_multi');
    await page.locator('[data-option]').nth(0).click();
    await page.locator('[data-option]').nth(2).click();
    await page.locator('button[role=checkbox]').click();
    await go('lyr_al_mu_go');
    await shown(page, 'scr_al_text');
    await page.fill('textarea', 'two lines');
    await go('lyr_al_text_go');
    await shown(page, 'scr_al_scale');
    await page.locator('input[type=range]').focus();
    await page.keyboard.press('End');
    await go('lyr_al_scale_go');
    await shown(page, 'scr_al_wheel');
    await page.getByRole('listbox').focus();
    await page.keyboard.press('ArrowDown');
    await go('lyr_al_wheel_go');
    await shown(page, 'scr_al_date');
    await page.fill('input[type=datetime-local]', '2026-03-04T05:06');
    await go('lyr_al_date_go');
    await shown(page, 'scr_al_step');
    await page.getByRole('button', { name: 'Increase' }).click();
    await go('lyr_al_step_go');
    await shown(page, 'scr_al_phone');
    await page.locator('[data-screen] select').selectOption('DE');
    await page.fill('input[type=tel]', '030 1234567');
    await go('lyr_al_phone_go');
    await shown(page, 'scr_al_addr');
    const address = { Address: '1 Main St', City: 'Springfield', 'Postal code': '12345' };
    for (const [label, value] of Object.entries(address)) await page.getByLabel(label, { exact: true }).fill(value);
    await go('lyr_al_addr_go');
    await shown(page, 'scr_al_oauth');
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await shown(page, 'scr_al_mail');
    await page.getByLabel('Email').fill('ana@example.com');
    await page.locator('input[type=password]').nth(0).fill('Long-enough-1');
    await page.locator('input[type=password]').nth(1).fill('Long-enough-1');
    await go('lyr_al_ep_s');
    await shown(page, 'scr_al_system');
    await go('lyr_al_rev');
    await shown(page, 'scr_al_last');
    await go('lyr_al_end');
    const snapshot = JSON.parse((await page.textContent('#snapshot')) ?? '') as { answers: Record<string, unknown> };
    expect(snapshot.answers).toMatchObject({ al_single: 'b', al_terms: true, al_note: { value: 'two lines' } });
    expect(JSON.stringify(snapshot)).not.toContain('Long-enough-1');

    await expect.poll(() => names('/events')).toContain('flow_completed');
    const events = storedFlowEvents('all-layers-walker');
    const counted = (name: string) => events.filter((event) => event.name === name).length;
    expect([counted('flow_started'), counted('flow_completed'), counted('flow_abandoned')]).toEqual([1, 1, 0]);
    expect(counted('step_viewed')).toBe(15);
    expect(counted('step_completed')).toBe(14);
    const values = Object.fromEntries(
      events.flatMap(({ properties }) =>
        typeof properties?.field_key === 'string' ? [[properties.field_key, properties.value]] : [],
      ),
    );
    expect(values).toMatchObject({ al_single: 'b', al_terms: 'true', al_note: 'two lines', al_amount: '1.5' });
    // Sensitive answers are blotted out before they reach the disk, and passwords never leave the page.
    expect([values.al_phone, values.al_address, values.al_visit]).toEqual(Array(3).fill('__redacted__'));
    expect(JSON.stringify(events)).not.toContain('Long-enough-1');
  });

  it('takes the branches that answers and the platform choose, to the end', async () => {
    const page = await open();
    const go = (id: string) => page.locator(`[data-layer="${id}"]`).click();
    await openFlow(page, 'branching-finisher', 'Branching');
    await shown(page, 'scr_goal');
    await page.getByRole('radio', { name: 'Rescue a sick plant' }).click();
    await shown(page, 'scr_symptoms');
    await page.getByText('Dry tips').click();
    await go('lyr_sy_go');
    await shown(page, 'scr_rooms');
    await go('lyr_rm_go');
    await shown(page, 'scr_size');
    await page.getByRole('button', { name: 'Increase' }).click();
    await go('lyr_sz_go');
    await shown(page, 'scr_season');
    await go('lyr_se_go');
    await shown(page, 'scr_remind');
    await page.fill('input[type=time]', '09:15');
    await go('lyr_re_go');
    // Neither German nor winter: visitors of the web are asked for their address.
    await shown(page, 'scr_email');
    await page.locator('input.svc-field').fill('ana@example.com');
    await go('lyr_em_go');
    await shown(page, 'scr_summary');
    await page.getByText('We start with a rescue plan.').waitFor();
    await go('lyr_sm_go');
    await expect.poll(() => names('/events')).toContain('flow_completed');
    const events = storedFlowEvents('branching-finisher');
    expect(events.filter(({ name }) => name === 'step_viewed').map(({ stepId }) => stepId)).toEqual([
      'scr_goal',
      'scr_symptoms',
      'scr_rooms',
      'scr_size',
      'scr_season',
      'scr_remind',
      'scr_email',
      'scr_summary',
    ]);
    const counted = (wanted: string) => events.filter(({ name }) => name === wanted).length;
    expect([counted('flow_started'), counted('flow_completed'), counted('flow_abandoned')]).toEqual([1, 1, 0]);
    expect(JSON.stringify(events)).not.toContain('ana@example.com');
  });

  it('records where a run through every kind of layer was left', async () => {
    const page = await open();
    await openFlow(page, 'all-layers-leaver', 'All layers');
    await shown(page, 'scr_al_media');
    await page.locator('[data-layer="lyr_al_go"]').click();
    await shown(page, 'scr_al_feedback');
    await page.getByRole('button', { name: 'Tendril' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    const ended = storedFlowEvents('all-layers-leaver').filter(({ name }) => /^flow_(completed|abandoned)$/.test(name));
    expect(ended).toMatchObject([{ name: 'flow_abandoned', stepId: 'scr_al_feedback' }]);
  });

  it('takes the branches that were chosen, and records where a run was left', async () => {
    const page = await open();
    await openFlow(page, 'branching-walker', 'Branching');
    await shown(page, 'scr_goal');
    await page.locator('[data-option]').nth(1).click();
    const second = await page.waitForSelector('[data-screen]:not([data-screen=scr_goal])');
    const screen = await second.getAttribute('data-screen');
    await page.getByRole('button', { name: 'Tendril' }).click();
    await expect.poll(() => names('/events')).toContain('flow_abandoned');
    const events = storedFlowEvents('branching-walker');
    expect(events.filter(({ name }) => name === 'step_viewed').map(({ stepId }) => stepId)).toEqual([
      'scr_goal',
      screen,
    ]);
    expect(events.filter(({ name }) => name === 'choice_selected')).toMatchObject([
      { stepId: 'scr_goal', properties: { field_key: expect.any(String), value: expect.any(String) } },
    ]);
    expect(events.filter(({ name }) => name === 'flow_abandoned').map(({ stepId }) => stepId)).toEqual([screen]);
    expect(events.some(({ name }) => name === 'flow_completed')).toBe(false);
  });
});

describe('a page that is left', () => {
  it('stores the end of a run although 200 kB wait on three channels', async () => {
    const page = await open();
    // What a page sends while it lives gets no answer; what is meant to outlive it goes by.
    await context.route('**/v1/sdk/events', () => undefined);
    await page.goto(`${pageUrl}test/page/index.html`);
    await page.waitForFunction(() => 'leaving' in window);
    await shown(page, 'scr_welcome');
    const { queued, eventIds } = await page.evaluate(() => window.leaving.fill());
    expect(queued).toBeGreaterThan(200_000);
    await page.evaluate(() => window.leaving.end());
    await page.goto('about:blank');
    let events: StoredEvent[] = [];
    await expect
      .poll(
        () => {
          events = storedFlowEvents('leaving-visitor');
          return events.map(({ name }) => name);
        },
        { timeout: 15_000, interval: 500 },
      )
      .toContain('flow_completed');
    const padded = events.filter(({ eventId }) => eventIds.includes(eventId));
    // Browsers let 64 kB outlive a page; the rest is lost with it, and nothing is stored twice.
    expect(padded.length).toBeGreaterThan(0);
    expect(padded.length).toBeLessThan(eventIds.length);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  });
});
