import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROME = [
  process.env.CHROME_BIN,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The Chromium of the machine. */
export function openBrowser(): Promise<Browser> {
  const executablePath = CHROME.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('The end-to-end tests need Chromium: install it or set CHROME_BIN.');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
