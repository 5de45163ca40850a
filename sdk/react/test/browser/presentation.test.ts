import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, manifest, screen, served, text } from '../support/manifests';
import { violations } from './accessibility';
import { layer, useBrowser } from './browser';
import { NONCE, openHost } from './host-page';
import type { HostOptions } from './page/host-app';

const flow = served(
  manifest(
    [
      screen('scr_plans', [text('lyr_title', 'Choose a plan'), button('lyr_next', { kind: 'continue' })], {
        next: { default: 'scr_thanks' },
      }),
      screen('scr_thanks', [text('lyr_thanks', 'Thank you'), button('lyr_end', { kind: 'end_flow' })]),
    ],
    { locales: ['en', 'ar'] },
  ),
);

const wait = '#open';
const host = (page: Page) => page.evaluate(() => window.host);
const terminals = async (page: Page) => (await host(page)).results.map((result) => result?.terminal ?? null);
const overflow = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).overflow);
const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '');

async function present(page: Page, options: Partial<HostOptions> = {}, policy = false) {
  await openHost(page, { flow, nonce: NONCE, present: {}, ...options }, { wait, policy });
  await page.click('#open');
}

describe('presentFlow', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it.each([
    ['modal', { x: 16, y: 16, width: 358, height: 768 }],
    ['sheet', { x: 0, y: 64, width: 390, height: 736 }],
    ['full-screen', { x: 0, y: 0, width: 390, height: 800 }],
  ] as const)(
    'stands above the page as a %s, to the screen reader too, and resolves at its end',
    async (style, box) => {
      const page = await open();
      await present(page, { present: { presentation: style } }, true);
      const dialog = page.getByRole('dialog', { name: 'Choose a plan' });
      await page.waitForSelector('[data-screen=scr_plans]');
      expect(await dialog.boundingBox()).toEqual(box);
      expect(await dialog.getAttribute('aria-modal')).toBe('true');
      expect(await overflow(page)).toBe('hidden');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('data-screen'))).toBe('scr_plans');
      // The rest of the page is out of reach, for the pointer and for the keyboard.
      expect(await page.evaluate(() => document.elementFromPoint(195, 400)?.closest('dialog') !== null)).toBe(true);
      await page.evaluate(() => document.getElementById('search')?.focus());
      expect(await focusedId(page)).not.toBe('search');
      for (let i = 0; i < 6; i += 1) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(() => document.activeElement?.closest('main'))).toBeNull();
      }
      expect(await violations(page)).toEqual([]);
      await page.click(layer('lyr_next'));
      await page.getByRole('dialog', { name: 'Thank you' }).waitFor();
      await page.click(layer('lyr_end'));
      await expect.poll(() => terminals(page)).toEqual(['completed']);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect([await focusedId(page), await overflow(page)]).toEqual(['open', 'visible']);
      expect((await host(page)).calls).toEqual(['loaded', 'presented', 'step scr_plans', 'step scr_thanks']);
      expect(await page.evaluate(() => window.violations)).toEqual([]);
    },
  );

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['going back', (page: Page) => page.evaluate(() => history.back())],
    ['a tap beside it', (page: Page) => page.mouse.click(5, 5)],
  ])('ends the run as abandoned by %s, and leaves page and history as they were', async (_, leave) => {
    const page = await open();
    await openHost(page, { flow, nonce: NONCE, present: {} }, { wait });
    const entries = await page.evaluate(() => history.length);
    await page.click('#open');
    await page.waitForSelector('[data-screen=scr_plans]');
    await page.waitForFunction(() => 'svcPresentation' in (history.state ?? {}));
    await leave(page);
    await expect.poll(() => terminals(page)).toEqual(['abandoned']);
    expect(new URL(page.url()).pathname).toBe('/host');
    expect(await page.evaluate(() => history.state)).toBeNull();
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(entries + 1);
    await page.click('#open');
    await page.waitForSelector('[data-screen=scr_plans]');
  });

  it('stays where it must not be dismissed', async () => {
    const page = await open();
    await present(page, { present: { dismissible: false } });
    await page.waitForSelector('[data-screen=scr_plans]');
    await page.waitForFunction(() => 'svcPresentation' in (history.state ?? {}));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.evaluate(() => history.back());
    await page.waitForFunction(() => 'svcPresentation' in (history.state ?? {}));
    expect(await page.locator('dialog[open]').count()).toBe(1);
    expect(await terminals(page)).toEqual([]);
  });

  it('presents nothing where there is nothing to serve, and says why', async () => {
    const page = await open();
    await openHost(page, { present: {} }, { wait });
    await page.click('#open');
    await expect.poll(() => terminals(page)).toEqual([null]);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await host(page)).calls).toEqual(['error channel_not_found', 'skipped channel_not_found']);
  });

  it('offers a way out while it cannot be loaded', async () => {
    const page = await open();
    await present(page, { offline: true });
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => terminals(page)).toEqual([null]);
  });

  it('presents what a link asks for, once', async () => {
    const page = await open();
    await openHost(page, { flow, present: {} }, { wait, query: '?svc.channel=ch_test_main&a=1' });
    await page.waitForSelector('[data-screen=scr_plans]');
    await page.keyboard.press('Escape');
    await expect.poll(() => terminals(page)).toEqual(['abandoned']);
    expect(new URL(page.url()).search).toBe('?a=1');
  });

  it('works as a component, in Arabic and in the dark', async () => {
    const page = await open();
    await present(page, { component: true, present: { theme: 'dark', locale: 'ar', presentation: 'sheet' } });
    await page.waitForSelector('[data-screen=scr_plans][dir=rtl]');
    await page.keyboard.press('Escape');
    await expect.poll(() => terminals(page)).toEqual(['abandoned']);
    expect(await focusedId(page)).toBe('open');
  });
});
