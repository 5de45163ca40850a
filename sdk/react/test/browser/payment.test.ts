import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, lastScreen, manifest, screen, served } from '../support/manifests';
import { layer, useBrowser } from './browser';
import { openHost } from './host-page';

const LINK = 'https://buy.stripe.com/test_plan?locale=en';
const ATTEMPT = 'd0000000-0000-4000-8000-000000000001';

const selling = served(
  manifest(
    [
      screen('scr_plans', [button('lyr_buy', { kind: 'continue' })], { next: { default: 'surf_pay' } }),
      lastScreen('scr_thanks'),
      lastScreen('scr_later'),
    ],
    {
      externalSurfaceNodes: [
        {
          id: 'surf_pay',
          config: { provider: 'stripe', paymentLinkUrl: LINK },
          outcomes: { purchase_completed: 'scr_thanks' },
          fallback: 'scr_later',
        },
      ],
    },
  ),
);

/** The service in the page's own origin, and the payment page at its real address. Returns the paths that were asked. */
async function serve(page: Page) {
  const asked: string[] = [];
  const attempt = { attemptId: ATTEMPT, expiresAt: '2030-01-01T00:00:00Z', status: 'confirmed' };
  await page.route('**/v1/sdk/**', (route) => {
    const { pathname } = new URL(route.request().url());
    asked.push(pathname);
    if (pathname.endsWith('/resolve')) return route.fulfill({ json: selling, headers: { etag: '"1-b"' } });
    if (pathname.includes('/checkout-attempts')) return route.fulfill({ json: attempt });
    return route.fulfill({ json: { accepted: true, stored: 0, duplicates: 0, rejected: [] } });
  });
  await page.route('https://buy.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Pay here</h1>' }),
  );
  return asked;
}

describe('a payment by link', () => {
  const open = useBrowser();

  it('leaves for the payment page itself, with the attempt, and goes on after it', async () => {
    const page = await open();
    const asked = await serve(page);
    await openHost(page, { config: {} }, { wait: '[data-screen=scr_plans]' });
    const shop = page.url();
    await page.click(layer('lyr_buy'));
    await page.getByRole('heading', { name: 'Pay here' }).waitFor();
    const left = new URL(page.url());
    expect(left.origin + left.pathname).toBe('https://buy.stripe.com/test_plan');
    expect(Object.fromEntries(left.searchParams)).toEqual({ locale: 'en', client_reference_id: ATTEMPT });
    expect(asked.filter((path) => path.endsWith('/checkout-attempts'))).toHaveLength(1);
    await page.goto(`${shop}?svc_stripe_status=success&svc_stripe_resume=${ATTEMPT}`);
    await page.waitForSelector('[data-screen=scr_thanks]');
    expect(new URL(page.url()).search).toBe('');
    expect(asked).toContain(`/v1/sdk/stripe/checkout-attempts/${ATTEMPT}`);
  });

  it('is handed to a host that opens links itself, and the page stays', async () => {
    const page = await open();
    await serve(page);
    await openHost(page, { config: {}, holdsPayment: true }, { wait: '[data-screen=scr_plans]' });
    const shop = page.url();
    await page.click(layer('lyr_buy'));
    await expect
      .poll(() => page.evaluate(() => window.host.calls))
      .toEqual([`pay ${LINK}&client_reference_id=${ATTEMPT}`]);
    expect(page.url()).toBe(shop);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForSelector('[data-screen=scr_later]');
  });

  it('has failed when what it needs cannot be loaded', async () => {
    const page = await open();
    await serve(page);
    await page.route('**/on-demand.js', (route) => route.abort());
    await openHost(page, { config: {} }, { wait: '[data-screen=scr_plans]' });
    await page.click(layer('lyr_buy'));
    await page.waitForSelector('[data-screen=scr_later]');
  });
});
