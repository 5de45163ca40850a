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

/** A small picture for media maps. */
export const PICTURE =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'><rect width='200' height='100' fill='teal'/></svg>";

interface BrowserOptions {
  width?: number;
  height?: number;
  reducedMotion?: 'reduce';
  /** Errors in the console that a test is about; all others fail it. */
  expectedErrors?: RegExp;
}

/** One browser for a test file, and a fresh page for each of its tests. */
export function useBrowser(options: BrowserOptions = {}) {
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
    const { width = 390, height = 800, reducedMotion } = options;
    page = await browser.newPage({
      viewport: { width, height },
      locale: 'en-US',
      reducedMotion: reducedMotion ?? null,
    });
    // Bounds what hangs; a busy machine takes its time to serve the page.
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() !== 'error' || message.text().includes('Failed to load resource')) return;
      if (!options.expectedErrors?.test(message.text())) errors.push(message.text());
    });
    await page.goto(inject('pageUrl'));
    await page.waitForFunction(() => 'mountFlow' in window);
    return page;
  };
}

/** Mounts a flow on the page. */
export async function mount(page: Page, manifest: unknown, options: MountOptions = {}): Promise<void> {
  await page.evaluate(([flow, given]) => window.mountFlow(flow as never, given as never), [manifest, options]);
  await page.waitForSelector('[data-screen], #ended');
}

export const layer = (id: string): string => `[data-layer="${id}"]`;
