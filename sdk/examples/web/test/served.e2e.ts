import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { openBrowser } from './browser';

const { baseUrl } = inject('setup');

let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
});
afterEach(() => context.close());

it('runs where the server serves it, and finds its way back from a payment', async () => {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.addInitScript(() => localStorage.setItem('tendril', '{"onboarded":true}'));
  await page.goto(`${baseUrl}/example/`);
  await page.getByRole('button', { name: 'Paywall pinned' }).click();
  await page.waitForSelector('[data-screen="scr_offer"]');
  expect(new URL(page.url()).pathname).toMatch(/^\/example\/flows\/ch_test_/);
  await page.getByRole('button', { name: 'Start my free week' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/example/checkout');
  const attempt = new URL(page.url()).searchParams.get('client_reference_id');
  const service = await (await fetch(`${baseUrl}/example/service.json`)).json();
  const status = async () => {
    const channel = service.channels.find(({ name }: { name: string }) => name === 'Paywall').id;
    const headers = { authorization: `Bearer ${service.publishableKey}`, 'x-svc-channel': channel };
    const response = await fetch(`${baseUrl}/v1/sdk/stripe/checkout-attempts/${attempt}`, { headers });
    return (await response.json()).status;
  };
  expect(await status()).toBe('pending');

  // Back without a word of the payment page: the attempt is cancelled, since nobody paid.
  await page.goBack();
  await page.waitForSelector('[data-screen]:not([data-screen="scr_offer"])');
  expect(await status()).toBe('cancelled');
  expect(errors).toEqual([]);
});
