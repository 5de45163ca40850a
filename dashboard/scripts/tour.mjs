// Takes the pictures of docs/editor.md: a headline of the demo is written where it stands, published, and shown in the
// example app. It needs a server with the demo and the example that nobody has edited yet: `make run`, with an empty
// `.svc`. Then: `npm run tour`. SVC_DEV_FILE names the dev.json of another server.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const { baseUrl, admin, apps } = JSON.parse(
  readFileSync(process.env.SVC_DEV_FILE ?? path('../../.svc/dev.json'), 'utf8'),
);
const folder = path('../../docs/images');
/** What a picture may weigh. */
const limit = 100_000;

const words = 'Plants that forgive you';
const browser = await chromium.launch({
  executablePath: process.env.CHROME_BIN ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const context = await browser.newContext({
  viewport: { width: 1280, height: 800 },
  locale: 'en-US',
  colorScheme: 'light',
  reducedMotion: 'reduce',
});
context.setDefaultTimeout(30_000);

async function take(page, name) {
  await page.waitForTimeout(800); // pictures and frames are drawn a moment after they are there
  const devtools = await context.newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await devtools.detach();
  const picture = Buffer.from(data, 'base64');
  if (picture.length > limit) throw new Error(`${name} has ${picture.length} bytes, of which there may be ${limit}`);
  writeFileSync(`${folder}/${name}.webp`, picture);
  console.log(`${name}.webp, ${Math.round(picture.length / 1000)} kB`);
}

mkdirSync(folder, { recursive: true });
const page = await context.newPage();
await page.goto(baseUrl);
await page.getByLabel('Email').fill(admin.email);
await page.getByRole('textbox', { name: 'Password' }).fill(admin.password);
await page.getByRole('button', { name: 'Sign in' }).click();
await page.waitForURL(/\/apps\//);

await page.goto(`${baseUrl}/apps/${apps[0].id}/live/flows`);
await page.frameLocator('iframe[title="First screen of Welcome"]').getByText('Plants that').first().waitFor();
await take(page, 'editor-1-flows');

await page.getByRole('link', { name: 'Welcome', exact: true }).click();
await page.getByRole('link', { name: 'Edit', exact: true }).click();
const canvas = page.frameLocator('iframe[title="Screens of the flow"]');
const headline = canvas.getByText('Plants that').first();
await headline.waitFor();
await page.waitForTimeout(1000);
const box = await headline.boundingBox();
await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
await page.getByRole('textbox', { name: 'Text', exact: true }).first().waitFor();
await page.keyboard.press('ControlOrMeta+a');
await page.keyboard.insertText(words);
await take(page, 'editor-2-type');

await page.keyboard.press('Escape');
await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Graph', { exact: true }).click();
await page.getByRole('region', { name: 'Graph' }).waitFor();
await page.waitForTimeout(2500);
await take(page, 'editor-3-graph');

await page.getByRole('link', { name: 'Publish' }).click();
const dialog = page.getByRole('dialog');
await dialog.getByLabel('Label').fill('A kinder headline');
await dialog.getByRole('radiogroup', { name: 'Show changes as' }).getByText('Screens', { exact: true }).click();
await dialog.locator('iframe').nth(1).waitFor();
for (const channel of await dialog.getByLabel(/gets the new version/).all()) await channel.check();
await page.waitForTimeout(2000);
await take(page, 'editor-4-publish');
await dialog.getByRole('button', { name: 'Publish and set live' }).click();
await dialog.waitFor({ state: 'hidden' });

await page.goto(`${baseUrl}/example/`);
await page.getByText(words).first().waitFor();
await take(page, 'editor-5-app');
await browser.close();
