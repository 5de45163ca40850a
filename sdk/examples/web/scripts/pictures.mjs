// Takes a picture of every screen of the demo's flows: on a phone and on a desk, light and dark, in three languages.
// `npm run pictures -w svc-example-web [-- folder [flow or screen …]]`; needs Chromium, no server.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';

const FLOWS = ['onboarding', 'paywall', 'reminders', 'winback', 'survey'];
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } };
const LOOKS = [
  { theme: 'light', locale: 'en' },
  { theme: 'dark', locale: 'en' },
  { theme: 'light', locale: 'ar' },
  { theme: 'dark', locale: 'de' },
];
const CHROME = [process.env.CHROME_BIN, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const [folder = 'pictures', ...wanted] = process.argv.slice(2);
const target = resolve(folder);
mkdirSync(target, { recursive: true });
const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
const server = await createServer({ configFile, server: { port: 0 }, logLevel: 'error' });
await server.listen();
const browser = await chromium.launch({
  executablePath: CHROME.find((path) => path && existsSync(path)),
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(new URL('test/screens/index.html', server.resolvedUrls.local[0]).href);
  await page.waitForFunction(() => 'draw' in window);
  for (const flow of FLOWS) {
    const file = new URL(`../../../../cmd/svc/demo/flows/${flow}.json`, import.meta.url);
    for (const { id } of JSON.parse(readFileSync(file, 'utf8')).screens) {
      if (wanted.length > 0 && !wanted.includes(flow) && !wanted.includes(id)) continue;
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        for (const { theme, locale } of LOOKS) {
          await page.evaluate((drawn) => window.draw(drawn), { flow, screen: id, theme, locale });
          await page.screenshot({ path: join(target, `${flow}-${id.slice(4)}-${size}-${theme}-${locale}.png`) });
        }
      }
    }
  }
} finally {
  await browser.close();
  await server.close();
}
console.log(target);
