import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Keyboard } from './keyboard';
import { addressOf, another, enter, flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const side = () => page.getByRole('complementary', { name: 'Properties' });

test('a font of the branding is chosen by keys, and each is drawn in itself', async () => {
  await open('branding');
  await page.getByRole('button', { name: 'Add font' }).click();
  await page.getByRole('textbox', { name: 'Name of the font' }).last().fill('Grow');
  await page
    .locator('input[type=file][accept*=woff2]')
    .last()
    .setInputFiles({ name: 'Grow-Regular.ttf', mimeType: 'font/ttf', buffer: readFileSync(font()) });
  await page.getByText('Grow something new').last().waitFor();
  await page.getByRole('button', { name: 'Save branding' }).click();
  await page.getByRole('button', { name: 'Save branding' }).waitFor({ state: 'detached' });

  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit`);
  await page.getByRole('treeitem', { name: /Plants that/ }).click();
  const keys = new Keyboard(page);
  const field = side().getByRole('combobox', { name: 'Font', exact: true });
  await keys.tabTo(field);
  await keys.press('ArrowDown');
  const option = page.getByRole('option', { name: 'Grow', exact: true });
  const familyOf = () => option.getByText('Grow').evaluate((one) => getComputedStyle(one).fontFamily);
  await expect.poll(familyOf).toMatch(/^library-/);
  expect(await violations(page)).toEqual([]);
  await keys.type('Gro');
  await keys.press('ArrowDown', 'Enter');
  await expect.poll(() => field.inputValue()).toBe('Grow');
  await expect.poll(() => field.evaluate((one) => getComputedStyle(one).fontFamily)).toMatch(/^library-/);
  const words = page.frameLocator('iframe[title="Screens of the flow"]').getByText('Plants that').first();
  await expect.poll(() => words.evaluate((one) => getComputedStyle(one).fontFamily)).toMatch(/^"?Grow/);
});

test('connections of a step cover neither it nor where it leads', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit?mode=graph`);
  const steps = page.locator('.react-flow__node');
  await steps.nth(4).waitFor();
  await settled(page);
  const panel = page.getByRole('region', { name: /^Connections from / });
  const overlap = async (name: string) => {
    const step = steps.filter({ has: page.getByText(name, { exact: true }) }).first();
    const [one, other] = [(await step.boundingBox())!, (await panel.boundingBox())!];
    return one.x + one.width > other.x && one.y < other.y + other.height;
  };
  await steps
    .filter({ has: page.getByText('Light', { exact: true }) })
    .first()
    .click({ position: { x: 40, y: 12 } });
  await expect.poll(() => overlap('Light')).toBe(false);
  await expect.poll(() => overlap('Watering')).toBe(false);
});

test('above the phone of the preview stand two rows, and the phone is whole', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Preview', exact: true });
  const phone = drawer.locator('iframe');
  await phone.waitFor();
  const box = (await phone.boundingBox())!;
  const controls = drawer.getByRole('button').or(drawer.getByRole('combobox'));
  const tops = await controls.evaluateAll((all) =>
    all.filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().top / 16)),
  );
  expect(new Set(tops).size).toBeLessThanOrEqual(2);
  expect(box.y + box.height).toBeLessThanOrEqual(900);
  expect(box.height, 'in which words can be read').toBeGreaterThan(600);
  const options = drawer.getByRole('button', { name: 'Options' });
  expect(await options.getAttribute('aria-expanded')).toBe('false');
  await options.click();
  await drawer.getByRole('combobox', { name: 'Language of the preview' }).waitFor();
});

test('a history without changes says what it will have', async () => {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "Untouched"}) { id } }',
    { app: server.apps[0]!.id },
  );
  await open(`flows/${createFlow.id}/edit`);
  await page.getByRole('button', { name: 'History' }).click();
  const dialog = page.getByRole('dialog', { name: 'History' });
  await dialog.getByText('Every change is kept here for 90 days').waitFor();
  await dialog.getByRole('button', { name: 'Back to the editor' }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('on a phone all languages of a text are in sight', async () => {
  const flow = await flowCalled('Welcome');
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await enter(phone.page);
  await phone.page.goto(addressOf(`flows/${flow}/edit?mode=translate`));
  const texts = phone.page.getByRole('region', { name: 'Texts' });
  for (const language of ['English', 'German', 'Arabic']) {
    const words = texts.getByRole('textbox', { name: new RegExp(`, ${language}$`) }).first();
    await words.waitFor();
    const { x, width } = (await words.boundingBox())!;
    expect([language, x >= 0 && x + width <= 390]).toEqual([language, true]);
  }
  expect(await texts.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
});

/** A font file: one that a package of the tests brings. */
function font(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
  const assets = join(folder, 'lib/vite/recorder/assets');
  return join(assets, readdirSync(assets).find((name) => name.endsWith('.ttf'))!);
}
