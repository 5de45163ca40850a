import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import type { MountOptions } from './page/main';

/** Browsers that are looked for, in order; `CHROME_BIN` wins. */
const CANDIDATES = [process.env.CHROME_BIN, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function executable(): string {
  const found = CANDIDATES.find((path) => path && existsSync(path));
  if (!found) throw new Error('The browser tests need Chromium: install it or set CHROME_BIN.');
  return found;
}

/** What the page may say without anything being wrong. */
const HARMLESS = ['Failed to load resource'];

/** One browser for a test file, and a fresh page for each of its tests, of the size of a phone. */
export function useBrowser(options: { reducedMotion?: 'reduce' } = {}) {
  let browser: Browser;
  let page: Page | undefined;
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executable(), args: ['--no-sandbox', '--lang=en-US'] });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    await page?.close();
    page = undefined;
    const seen = errors.splice(0);
    if (seen.length > 0) throw new Error(`the page reported: ${seen.join('\n')}`);
  });

  return async (): Promise<Page> => {
    page = await browser.newPage({
      viewport: { width: 390, height: 800 },
      locale: 'en-US',
      timezoneId: 'UTC',
      hasTouch: true,
      reducedMotion: options.reducedMotion ?? 'no-preference',
    });
    page.setDefaultTimeout(15_000);
    // The first page waits for the server to put everything together.
    page.setDefaultNavigationTimeout(60_000);
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !HARMLESS.some((words) => message.text().includes(words)))
        errors.push(message.text());
    });
    await page.goto(inject('nativePageUrl'));
    await page.waitForFunction(() => 'mountFlow' in window, undefined, { timeout: 60_000 });
    await page.evaluate(() => window.ready.then(() => undefined));
    return page;
  };
}

/** Mounts a flow on the page. */
export async function mount(page: Page, manifest: unknown, options: MountOptions = {}): Promise<void> {
  await page.evaluate(([flow, given]) => window.mountFlow(flow as never, given as never), [manifest, options]);
  await page.waitForSelector('[data-testid^="scr_"], [data-testid="ended"]');
}

/** A layer or a screen by its id. */
export const at = (id: string): string => `[data-testid="${id}"]`;
