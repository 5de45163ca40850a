import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, lastScreen, manifest, screen, served, text } from '../support/manifests';
import { violations } from './accessibility';
import { layer, useBrowser } from './browser';
import { NONCE, openHost } from './host-page';
import type { HostOptions } from './page/host-app';

const TOKEN = 'AbC-123_';
const draft = {
  ...served(
    manifest(
      [
        screen('scr_plans', [text('lyr_title', 'Choose a plan'), button('lyr_buy', { kind: 'continue' })], {
          next: { default: 'surf_pay' },
        }),
        screen('scr_thanks', [text('lyr_thanks', 'Thank you'), button('lyr_end', { kind: 'end_flow' })]),
        lastScreen('scr_later'),
      ],
      {
        locales: ['en', 'ar'],
        externalSurfaceNodes: [
          {
            id: 'surf_pay',
            name: 'Yearly plan',
            config: { provider: 'stripe', paymentLinkUrl: 'https://buy.stripe.com/test_plan' },
            outcomes: { purchase_completed: 'scr_thanks' },
            fallback: 'scr_later',
          },
        ],
      },
    ),
  ),
  channelId: 'preview',
};

/** Opens a preview link of the shop. Returns the requests to the service, by their paths. */
async function preview(page: Page, present: HostOptions['present'] = {}, refusal?: { status: number; code: string }) {
  const asked: { path: string; body: string | null }[] = [];
  await page.route('**/v1/sdk/**', (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    asked.push({ path: pathname, body: request.postData() });
    if (!pathname.endsWith('/preview')) return route.fulfill({ json: { accepted: true } });
    if (!refusal) return route.fulfill({ json: draft });
    return route.fulfill({ status: refusal.status, json: { code: refusal.code, message: 'no' } });
  });
  const options: HostOptions = { config: { analytics: { enabled: false } }, nonce: NONCE, present };
  await openHost(page, options, { wait: '#open', query: `?svc.preview=${TOKEN}&a=1`, policy: true });
  return asked;
}

const calls = (page: Page) => page.evaluate(() => window.host.calls);
const results = (page: Page) => page.evaluate(() => window.host.results);

describe('a preview link', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it('shows the draft with a badge, sells nothing, records nothing and completes nothing', async () => {
    const page = await open();
    const asked = await preview(page);
    await page.waitForSelector('[data-screen=scr_plans]');
    expect(new URL(page.url()).search).toBe('?a=1');
    const badge = page.getByText('Preview', { exact: true });
    await badge.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.click(layer('lyr_buy'));
    await page.getByText('Yearly plan').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await badge.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Purchase completed' }).click();
    await page.waitForSelector('[data-screen=scr_thanks]');
    await page.click(layer('lyr_end'));
    await expect.poll(() => results(page)).toEqual([null]);
    expect(await calls(page)).toEqual(['loaded', 'presented', 'step scr_plans', 'step surf_pay', 'step scr_thanks']);
    // Leaving the page sends whatever waits.
    await page.goto('about:blank');
    expect(asked).toEqual([{ path: '/v1/sdk/preview', body: JSON.stringify({ token: TOKEN }) }]);
  });

  it.each([
    ['de-AT', 'ltr', 'Vorschau', 'Kauf abgebrochen'],
    ['ar', 'rtl', 'معاينة', 'أُلغي الشراء'],
  ])('speaks %s', async (locale, direction, badge, cancelled) => {
    const page = await open();
    await preview(page, { locale, theme: 'dark', presentation: 'sheet' });
    await page.waitForSelector('[data-screen=scr_plans]');
    expect(await page.getByText(badge, { exact: true }).getAttribute('dir')).toBe(direction);
    await page.click(layer('lyr_buy'));
    await page.getByRole('button', { name: cancelled }).click();
    await page.waitForSelector('[data-screen=scr_later]');
    expect(await page.evaluate(() => window.violations)).toEqual([]);
  });

  it('says when it is no good, and keeps nobody', async () => {
    const page = await open();
    await preview(page, {}, { status: 401, code: 'preview_expired' });
    await page.getByRole('alert').getByText('may have expired').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => results(page)).toEqual([null]);
    expect(await calls(page)).toEqual(['error preview_expired', 'skipped preview_expired']);
  });
});
