import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectations, idsOfDemo } from './places';
import { addressOf, flowCalled, open, page, suite } from './suite';
import { settled } from './visitor';

suite();

/** Where pictures of the pages go, for people to look at; nowhere unless it is said. */
const pictures = process.env.E2E_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

test('no page is wider than its window when words go from right to left', async () => {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      document.documentElement.dir = 'rtl';
      observer.disconnect();
    }).observe(document, { childList: true });
  });
  const ids = await idsOfDemo();
  const wrong: string[] = [];
  for (const [name, { views }] of Object.entries(expectations)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(addressOf(views[0]!(ids)));
    await settled(page);
    // The menu is at the right, and in the editor, which has none, the layers; the window of a preview has neither.
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
    if (name !== 'flows/$flow/preview') {
      const menu = await pages.or(page.getByRole('tree', { name: 'Layers' })).boundingBox();
      if (menu!.x < 1000) wrong.push(`${name} has its menu at ${menu!.x}`);
    }
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(150);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) wrong.push(`${name} at ${width} is ${wide} too wide`);
      if (pictures) await page.screenshot({ path: `${pictures}/rtl-${name.replace(/\W+/g, '-')}-${width}.png` });
    }
  }
  expect(wrong).toEqual([]);

  // Screens of a flow fill their phones.
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(`flows/${ids.flow}/versions`);
  const screen = page.locator('main iframe').first();
  await screen.waitFor();
  const [drawn, phone] = [await screen.boundingBox(), await screen.locator('..').boundingBox()];
  expect(Math.abs(drawn!.x - phone!.x)).toBeLessThan(1);
  expect(Math.abs(drawn!.width - phone!.width)).toBeLessThan(1);
  await page.setViewportSize({ width: 390, height: 900 });

  // On a phone the menu comes from where its button is; code is written as everywhere.
  await open('events');
  await page.getByRole('button', { name: 'Menu' }).click();
  const menu = page.getByRole('dialog', { name: 'Menu' });
  await expect.poll(async () => Math.round((await menu.boundingBox())!.x)).toBe(390 - 260);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  await page
    .getByRole('button', { name: /^Explain / })
    .first()
    .click();
  const code = page.getByRole('dialog').locator('pre').first();
  expect(await code.evaluate((pre) => getComputedStyle(pre).direction)).toBe('ltr');
});

test('a report prints without what surrounds it, in light colors, with its charts whole', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  const flow = `flows/${await flowCalled('Welcome')}`;
  for (const report of ['home?range=28d', 'retention', 'acquisition', flow]) {
    await open(report);
    await settled(page);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await page.setViewportSize({ width: 700, height: 990 }); // what is inside the margins of A4
    expect(await page.getByRole('banner').count()).toBe(0);
    expect(await page.getByRole('navigation', { name: 'Pages', exact: true }).count()).toBe(0);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(paper).toBe('rgb(255, 255, 255)');
    const dark = await page.evaluate(() =>
      [...document.querySelectorAll('main :is(section, table, input, button, fieldset, div)')]
        .filter((part) => part.checkVisibility())
        .map((part) => getComputedStyle(part).backgroundColor)
        .filter((color) => {
          const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g)!.map(Number);
          return alpha > 0.5 && red! + green! + blue! < 3 * 128;
        }),
    );
    expect([report, dark]).toEqual([report, []]);
    if (report === flow) {
      // Each screen is a document of its own, which is light by the time the browser takes its picture.
      const ofScreens = () => page.frames().filter((frame) => frame.url().endsWith('/preview.html'));
      await expect.poll(() => ofScreens().length).toBeGreaterThan(0);
      const screens = ofScreens();
      for (const frame of screens) {
        await frame.locator('.svc-screen').waitFor();
        await frame.evaluate(() => {
          const drawn = () => getComputedStyle(document.querySelector('.svc-screen')!).colorScheme;
          addEventListener('beforeprint', () => document.documentElement.setAttribute('data-printed', drawn()));
        });
      }
      await page.pdf({ format: 'A4' });
      const printed = screens.map((frame) => frame.locator('html').getAttribute('data-printed'));
      expect(new Set(await Promise.all(printed))).toEqual(new Set(['light']));
    }
    const beyond = await page.evaluate(() =>
      [...document.querySelectorAll('main svg[role=img], main table, main section')]
        .filter((part) => {
          if (part.closest('.reader')) return false; // for screen readers, not on paper
          const { left, right } = part.getBoundingClientRect();
          return left < -1 || right > innerWidth + 1;
        })
        .map((part) => part.outerHTML.slice(0, 80)),
    );
    expect([report, beyond]).toEqual([report, []]);
    if (pictures) {
      const name = report.replace(/\W.*/, '');
      await page.pdf({ path: `${pictures}/print-${name}.pdf`, format: 'A4', printBackground: true });
      await page.screenshot({ path: `${pictures}/print-${name}.png`, fullPage: true });
    }
    await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});
