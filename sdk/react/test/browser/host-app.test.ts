import type { ResolvedFlow } from '@svc/core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, manifest, screen, served, text } from '../support/manifests';
import { useBrowser } from './browser';
import { openHost } from './host-page';

const hello = served(
  manifest([
    screen('scr_a', [
      text('lyr_t', 'Hello'),
      { id: 'lyr_in', kind: 'text_input', fieldKey: 'first_name', classification: 'sensitive' },
      button('lyr_go', { kind: 'continue' }),
    ]),
  ]),
);

/** Answers of the service in the page's own origin. */
async function serve(page: Page, answer: (count: number) => 'hang' | 'flow', flow: ResolvedFlow = hello) {
  let resolves = 0;
  await page.route('**/v1/sdk/**', async (route) => {
    if (!route.request().url().endsWith('/resolve'))
      return route.fulfill({ json: { accepted: true, stored: 0, duplicates: 0, rejected: [] } });
    resolves += 1;
    if (answer(resolves) === 'hang') return undefined;
    return route.fulfill({ json: flow, headers: { etag: '"1-b0000000-0000-4000-8000-000000000001"' } });
  });
  return () => resolves;
}

describe('a service that hangs', () => {
  const open = useBrowser();

  it('is asked once more by one click once it is back, and the flow is there within a second', async () => {
    const page = await open();
    let back = false;
    const resolves = await serve(page, () => (back ? 'flow' : 'hang'));
    await openHost(page, { config: { loadTimeoutMs: 1_500 } }, { wait: '#retry' });
    const before = resolves();
    back = true;
    const took = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const start = performance.now();
          const observer = new MutationObserver(() => {
            if (!document.querySelector('[data-screen=scr_a]')) return;
            observer.disconnect();
            // What the service took is not the SDK's: a busy machine may take its time to answer.
            const asked = performance
              .getEntriesByType('resource')
              .filter(({ name }) => name.endsWith('/v1/sdk/resolve'));
            const { startTime, responseEnd } = asked.at(-1) as PerformanceResourceTiming;
            resolve(performance.now() - start - (responseEnd - startTime));
          });
          observer.observe(document.body, { childList: true, subtree: true });
          document.getElementById('retry')?.click();
        }),
    );
    expect(took).toBeLessThanOrEqual(1_000);
    expect(resolves() - before).toBe(1);
  });
});

describe('a config that cannot work, in production', () => {
  const open = useBrowser();

  it.each([
    ['publishableKey', { publishableKey: 'undefined' }],
    ['apiBaseUrl', { apiBaseUrl: 'not a url' }],
  ])('leaves the app alone: %s', async (field, config) => {
    const page = await open();
    await openHost(page, { config }, { wait: '#retry' });
    expect(await page.getByRole('heading', { name: 'Shop' }).count()).toBe(1);
    await expect
      .poll(() => page.evaluate(() => window.host.reports))
      .toEqual([expect.objectContaining({ code: 'config_invalid', field })]);
  });
});

describe('a flow from the cache', () => {
  const open = useBrowser();
  /**
   * What people notice is 50 ms, and what is measured has a development build of React and two frames in it; a machine
   * that does other things may take a while longer.
   */
  const LIMIT_MS = 1_000;

  it('is on screen at once, whatever the service does', async () => {
    const page = await open();
    let hangs = false;
    const resolves = await serve(page, () => (hangs ? 'hang' : 'flow'));
    const options = { config: { loading: 'cache-first' as const } };
    await openHost(page, options, { wait: '[data-screen=scr_a]' });
    await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('svc:resolve:')));
    const before = resolves();
    hangs = true;
    const times: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      await openHost(page, options, { wait: '[data-screen=scr_a]' });
      await page.waitForFunction(() => window.firstFlowMs !== undefined);
      times.push(await page.evaluate(() => window.firstFlowMs ?? Number.NaN));
    }
    times.sort((a, b) => a - b);
    const median = times[3] as number;
    console.log(`first <Flow> from the cache, painted: median ${median.toFixed(1)} ms of ${times.map(Math.round)} ms`);
    expect(times[0]).toBeLessThanOrEqual(LIMIT_MS);
    // All were asked for the next time, and none was answered: the screen waits for no network.
    await expect.poll(resolves).toBeGreaterThan(before);
  });

  it('waits for none of its parts that are loaded on demand', async () => {
    const flow = served(
      manifest([
        screen('scr_a', [
          text('lyr_t', 'Hello'),
          { id: 'lyr_icon', kind: 'icon', family: 'ionicons', iconName: 'flower-outline' },
          { id: 'lyr_phone', kind: 'phone_input', fieldKey: 'phone', classification: 'sensitive' },
        ]),
      ]),
    );
    const page = await open();
    let hangs = false;
    await serve(page, () => (hangs ? 'hang' : 'flow'), flow);
    const asked: string[] = [];
    await page.route(/\/on-demand\.js|icons-\d\d|libphonenumber/, (route) => {
      asked.push(new URL(route.request().url()).pathname);
    });
    const options = { config: { loading: 'cache-first' as const } };
    const words = page.locator('[data-layer=lyr_t]');
    await openHost(page, options, { wait: '[data-screen=scr_a]' });
    await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('svc:resolve:')));
    hangs = true;
    asked.length = 0;
    await openHost(page, options, { wait: '[data-screen=scr_a]' });
    expect(await words.innerText()).toBe('Hello');
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(asked.filter((path) => path.endsWith('/on-demand.js'))).toEqual([]);
  });
});

describe('the theme of the system', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });
  const backgrounds = (page: Page) =>
    page
      .locator('[data-screen]:visible > [aria-hidden]')
      .evaluateAll((fills) => fills.map((fill) => getComputedStyle(fill).backgroundColor));

  it('is right in the HTML of a server, and followed live with what people have entered', async () => {
    const page = await open();
    await page.emulateMedia({ colorScheme: 'dark' });
    const options = { flow: hello, initial: true, theme: 'system' as const };
    const wait = '[data-screen]:visible';
    await openHost(page, options, { server: true, script: false, wait });
    expect(await backgrounds(page)).toEqual(['rgb(10, 10, 10)']);
    await openHost(page, options, { server: true, wait });
    await page.waitForFunction(() => document.querySelectorAll('[data-screen]').length === 1);
    expect(await backgrounds(page)).toEqual(['rgb(10, 10, 10)']);
    await page.fill('input', 'Ana');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => backgrounds(page)).toEqual(['rgb(255, 255, 255)']);
    expect(await page.inputValue('input')).toBe('Ana');
  });
});
