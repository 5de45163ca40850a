import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, violations, visit } from './visitor';

const home = fileURLToPath(new URL('..', import.meta.url));
let vite: ViteDevServer;
let browser: Browser;

beforeAll(async () => {
  // A server of its own that watches nothing: files that change while it runs are of no concern.
  vite = await createServer({ root: home, logLevel: 'error', server: { host: '127.0.0.1', port: 0, watch: null } });
  [browser] = await Promise.all([openBrowser(), vite.listen()]);
});
afterAll(async () => {
  await browser?.close();
  await vite?.close();
});

test.each(['light', 'dark'])('every component can be used by everybody in %s colors', async (scheme) => {
  const baseUrl = new URL(vite.resolvedUrls!.local[0]!).origin;
  const { page, context, complaints } = await visit(browser, { baseUrl });
  await page.goto(`${baseUrl}/ui?scheme=${scheme}`);
  for (const part of ['Buttons', 'Fields', 'Metrics', 'Cards', 'Tables', 'Charts', 'Texts', 'Icons'])
    await page.getByRole('region', { name: part, exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Definition' }).waitFor(); // the editor comes by itself
  await expect.poll(() => page.locator('svg title').count()).toBeGreaterThan(3); // and the maps
  expect(await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe(scheme);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(300); // transitions have their own colors
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect([width, await violations(page)]).toEqual([width, []]);
  }
  await context.close();
  expect(complaints.filter((text) => !text.startsWith('ws:'))).toEqual([]);
});

test('the page shows both themes, and the binary has none of it', async () => {
  const baseUrl = new URL(vite.resolvedUrls!.local[0]!).origin;
  const { page, context } = await visit(browser, { baseUrl });
  await page.goto(`${baseUrl}/ui`);
  for (const title of ['Light', 'Dark'])
    await page.frameLocator(`iframe[title=${title}]`).getByRole('heading', { level: 1, name: 'Components' }).waitFor();
  await context.close();
  const built = readdirSync(`${home}/dist/app`, { recursive: true, encoding: 'utf8' });
  expect(built).toContain('index.html');
  expect(built).not.toContain('ui.html');
  const scripts = built.filter((path) => path.endsWith('.js'));
  expect(
    scripts.filter((path) => readFileSync(`${home}/dist/app/${path}`, 'utf8').includes('People show here once')),
  ).toEqual([]);
});
