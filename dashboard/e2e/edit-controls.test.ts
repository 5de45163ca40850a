import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { Keyboard } from './keyboard';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

type Layer = { id: string; kind: string; name?: string; children?: Layer[]; [property: string]: unknown };
type Draft = {
  screens: { id: string; name: string; regions: Record<string, Layer> }[];
  externalSurfaceNodes?: { name: string; config: object }[];
};

const side = (): Locator => page.getByRole('complementary', { name: 'Properties' });
const rows = (): Locator => page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
const canvas = () => page.frameLocator('iframe[title="Screens of the flow"]');
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

async function draftOf(flow: string): Promise<Draft> {
  await saved();
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  return (await server.ask<{ flow: { draft: Draft } }>(query, { id: flow })).flow.draft;
}

const isTitle = ({ text }: Layer) => /^Plants that/.test((text as { default?: string })?.default ?? '');

/** The first layer of a screen for which something holds. */
async function layerOf(flow: string, screen: string, is: (layer: Layer) => boolean): Promise<Layer> {
  const { regions } = (await draftOf(flow)).screens.find(({ id }) => id === screen)!;
  const all = (layer: Layer): Layer[] => [layer, ...(layer.children ?? []).flatMap(all)];
  return Object.values(regions).flatMap(all).find(is)!;
}

/** Opens a screen of the demo's onboarding, and walks to a layer by keys. */
async function walkTo(screen: string, layer: RegExp): Promise<{ flow: string; keys: Keyboard }> {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=${screen}`);
  await side().getByRole('heading').first().waitFor();
  const keys = new Keyboard(page);
  await keys.walkTo(rows().and(page.getByLabel(layer)), rows());
  return { flow, keys };
}

/** Looks for barriers in both themes of the dashboard. */
async function clean(where: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    if (process.env.E2E_PICTURES)
      await page.screenshot({ path: `${process.env.E2E_PICTURES}/${where.replaceAll(' ', '-')}-${colorScheme}.png` });
    expect([where, colorScheme, await violations(page)]).toEqual([where, colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** What follows the name of a section, opened. */
async function openSection(keys: Keyboard, name: string) {
  const details = side()
    .locator('details')
    .filter({ has: page.locator('summary', { hasText: new RegExp(`^${name}$`) }) });
  if ((await details.first().getAttribute('open')) !== null) return;
  await keys.tabTo(details.locator('summary').first());
  await keys.press('Enter');
}

test('a color is chosen by keys: of the theme, any other, and another one in the dark', async () => {
  const { flow, keys } = await walkTo('scr_welcome', /^Plants that.*, Text$/);
  const swatch = side().getByRole('button', { name: 'Choose Color', exact: true });
  const picker = page.getByRole('dialog').filter({ has: page.getByLabel('Differs in dark mode') });
  const color = async () => ((await layerOf(flow, 'scr_welcome', isTitle)).style as { color?: unknown }).color;
  await openSection(keys, 'Style');
  await keys.tabTo(swatch);
  await keys.press('Enter');
  await picker.waitFor();
  // Whoever has no pointer is in it at once.
  await expect.poll(() => picker.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  await keys.tabTo(picker.getByRole('button', { name: 'Primary', exact: true }));
  await keys.press('Enter');
  expect(await color()).toMatchObject({ light: '$primary', dark: expect.stringMatching(/^#/) });
  await clean('a picker of colors');
  await keys.tabTo(picker.getByRole('checkbox', { name: 'Differs in dark mode' }));
  await keys.press('Space');
  await expect.poll(color).toBe('$primary');
  await keys.press('Space');
  await expect.poll(color).toEqual({ light: '$primary', dark: '$primary' });
  await keys.tabTo(picker.getByRole('slider').nth(1));
  await keys.press('ArrowRight', 'ArrowRight', 'ArrowRight');
  await expect.poll(async () => ((await color()) as { light: string }).light).toMatch(/^#[0-9a-f]{6,8}$/);
  expect(await color()).toMatchObject({ dark: '$primary' });
  // Hex is typed, then made paler by one step, and said.
  await keys.tabTo(picker.getByRole('textbox', { name: 'Hex', exact: true }));
  await keys.type('f00');
  await keys.press('Enter');
  await expect.poll(color).toEqual({ light: '#ff0000', dark: '$primary' });
  await picker.getByText('Contrast can’t be computed: A layer that floats may be behind it.').waitFor();
  const area = picker.getByRole('slider', { name: 'Saturation and brightness' });
  await page.keyboard.down('Shift');
  await keys.tabTo(area);
  await page.keyboard.up('Shift');
  await keys.press('Shift+ArrowLeft', 'ArrowDown');
  await expect.poll(() => area.getAttribute('aria-valuetext')).toBe('Saturation 90 %, brightness 99 %');
  await expect.poll(color).toEqual({ light: '#fc1919', dark: '$primary' });
  // The other palette is chosen beside it.
  await keys.tabTo(picker.getByRole('button', { name: /^Aa ?Dark/ }));
  await keys.press('Enter');
  await keys.tabTo(picker.getByRole('textbox', { name: 'Hex', exact: true }));
  await keys.type('white');
  await keys.press('Enter');
  await expect.poll(color).toEqual({ light: '#fc1919', dark: '#ffffff' });
  await keys.press('Escape');
  await picker.waitFor({ state: 'hidden' });
  expect(await swatch.evaluate((one) => one === document.activeElement), 'the focus goes back').toBe(true);
});

test('a gradient is written as the background of a layer, and drawn', async () => {
  const { flow, keys } = await walkTo('scr_welcome', /, Stack$/);
  const { id } = await layerOf(flow, 'scr_welcome', ({ kind }) => kind === 'stack');
  const gradient = 'linear-gradient(90deg, #ff7a59 0%, #7a5cff 100%)';
  await openSection(keys, 'Style');
  const field = side().getByLabel('Background', { exact: true });
  await keys.tabTo(field);
  await keys.press('ControlOrMeta+a');
  await keys.type(gradient);
  await keys.press('Enter');
  const painted = () =>
    canvas()
      .locator(`[data-layer="${id}"]`)
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundImage);
  await expect.poll(painted).toContain('linear-gradient(90deg');
  const made = await layerOf(flow, 'scr_welcome', (layer) => layer.id === id);
  expect(made.style).toMatchObject({ background: gradient });
  await clean('a gradient');
  await keys.tabTo(side().getByRole('button', { name: 'Reset Background', exact: true }));
  await keys.press('Enter');
  await expect.poll(painted).toBe('none');
});

test('a gradient is made by mouse on its bar, an undo a drag, and by keys', async () => {
  const { flow, keys } = await walkTo('scr_welcome', /, Stack$/);
  const { id } = await layerOf(flow, 'scr_welcome', ({ kind }) => kind === 'stack');
  const background = async () =>
    ((await layerOf(flow, 'scr_welcome', (layer) => layer.id === id)).style as { background?: string }).background;
  await openSection(keys, 'Style');
  await side().getByLabel('Background', { exact: true }).fill('#ff0000');
  await keys.press('Enter');
  await expect.poll(background).toBe('#ff0000');
  await side().getByRole('button', { name: 'Choose Background', exact: true }).click();
  const picker = page.getByRole('dialog').filter({ has: page.getByLabel('Differs in dark mode') });
  await picker.getByText('Gradient', { exact: true }).click();
  const stops = picker.getByRole('group', { name: 'Stops' });
  const stop = (n: number) => stops.getByRole('slider', { name: `Stop ${n}`, exact: true });
  await stop(2).waitFor();
  await expect.poll(background).toMatch(/^linear-gradient\(180deg, #ff0000 0%, #[0-9a-f]{6} 100%\)$/);
  const made = await background();
  const bar = (await stops.boundingBox())!;
  const at = (percent: number) => [bar.x + (bar.width * percent) / 100, bar.y + bar.height / 2] as const;
  const positions = async () => [...((await background()) ?? '').matchAll(/ (\d+)%/g)].map(([, one]) => Number(one));
  // A press adds a stop, and goes on as a drag.
  await page.mouse.move(...at(25));
  await page.mouse.down();
  for (const percent of [30, 40, 50, 60]) await page.mouse.move(...at(percent));
  await page.mouse.up();
  await expect.poll(positions).toEqual([0, 60, 100]);
  expect(await stop(2).evaluate((one) => one === document.activeElement), 'it has the focus').toBe(true);
  // It is dragged past the last, with its color.
  const color = /(#[0-9a-f]{6}) 60%/.exec((await background())!)![1];
  await page.mouse.move(...at(100));
  await page.mouse.down();
  for (const percent of [80, 50, 20]) await page.mouse.move(...at(percent));
  await page.mouse.up();
  await expect.poll(positions).toEqual([0, 20, 60]);
  expect(await background()).toMatch(new RegExp(`${color} 60%\\)$`));
  // Pulled away it goes; no less than two stay.
  await page.mouse.move(...at(20));
  await page.mouse.down();
  await page.mouse.move(at(20)[0], bar.y + 120, { steps: 4 });
  await page.mouse.up();
  await expect.poll(positions).toEqual([0, 60]);
  await page.mouse.move(...at(60));
  await page.mouse.down();
  await page.mouse.move(at(60)[0], bar.y + 120, { steps: 4 });
  await page.mouse.up();
  await expect.poll(positions).toEqual([0, 60]);
  await clean('a gradient on its bar');
  await keys.press('Escape');
  await picker.waitFor({ state: 'hidden' });
  // Three drags are three undos.
  for (const before of [
    [0, 20, 60],
    [0, 60, 100],
    [0, 100],
  ]) {
    await keys.press('ControlOrMeta+z');
    await expect.poll(positions).toEqual(before);
  }
  expect(await background()).toBe(made);
  // The same by keys alone.
  await keys.tabTo(side().getByRole('button', { name: 'Choose Background', exact: true }));
  await keys.press('Enter');
  await keys.tabTo(picker.getByRole('button', { name: 'Add stop', exact: true }));
  await keys.press('Enter');
  await expect.poll(positions).toEqual([0, 50, 100]);
  await keys.press('ArrowRight', 'Shift+ArrowRight');
  await expect.poll(positions).toEqual([0, 61, 100]);
  await keys.press('End');
  await expect.poll(positions).toEqual([0, 100, 100]);
  await keys.press('Delete');
  await expect.poll(positions).toEqual([0, 100]);
  await picker.getByText('Color', { exact: true }).click();
  await expect.poll(background).toBe('#ff0000');
  await keys.press('Escape');
});

test('an image is chosen from the library by keys', async () => {
  const { flow, keys } = await walkTo('scr_pets', /^cat, Image$/);
  const before = await layerOf(flow, 'scr_pets', ({ kind }) => kind === 'image');
  const picture = side().getByRole('button', { name: 'Media: replace' });
  await keys.tabTo(picture);
  await keys.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Choose an image' });
  await dialog.getByRole('listitem').first().waitFor();
  await clean('a library of images');
  const other = dialog.getByRole('listitem').getByRole('button').last();
  await keys.tabTo(other);
  await keys.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  const after = await layerOf(flow, 'scr_pets', ({ id }) => id === before.id);
  expect(after.media).not.toEqual(before.media);
  expect(await picture.evaluate((one) => one === document.activeElement), 'the focus goes back').toBe(true);
});

test('who sells, and what, is chosen by keys', async () => {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "Sells by keys"}) { id } }',
    { app: server.apps[0]!.id },
  );
  await open(`flows/${createFlow.id}/edit?mode=graph`);
  await page.getByRole('button', { name: 'Blank screen' }).click();
  await side().getByRole('heading', { name: 'Screen 1' }).waitFor();
  await saved();
  await open(`flows/${createFlow.id}/edit?mode=graph`);
  const keys = new Keyboard(page);
  await keys.tabTo(page.getByRole('button', { name: 'Add a step' }));
  await keys.press('Enter');
  await page.getByRole('menuitem', { name: 'New paywall' }).waitFor();
  const item = page.getByRole('menuitem', { name: 'New paywall' });
  for (let at = 0; at < 12 && !(await item.evaluate((one) => one === document.activeElement)); at++)
    await keys.press('ArrowDown');
  await keys.press('Enter');
  await keys.choose(side().getByLabel('Shown by'), 'RevenueCat');
  await keys.tabTo(side().getByLabel('Offering'));
  await keys.type('spring_offer');
  await keys.choose(side().getByLabel('Otherwise', { exact: true }), 'End of the flow');
  await clean('a paywall in the graph');
  const [paywall] = (await draftOf(createFlow.id)).externalSurfaceNodes!;
  expect(paywall!.config).toEqual({ provider: 'revenuecat', offeringId: 'spring_offer' });
});

test('a condition is a sentence that is written by keys', async () => {
  const { flow, keys } = await walkTo('scr_pets', /^Who else lives.*, Text$/);
  await keys.tabTo(side().getByRole('button', { name: 'Show when…' }));
  await keys.press('Enter');
  const row = (said: RegExp) => side().getByRole('group', { name: said });
  await keys.choose(side().getByLabel('What', { exact: true }).first(), 'Platform');
  await keys.choose(side().getByLabel('Value', { exact: true }).first(), 'Web');
  await row(/^Platform is Web/).waitFor();
  await clean('a condition');
  expect(JSON.stringify(await draftOf(flow))).toMatch(/"pred": ?\{"op": ?"eq", ?"value": ?"web"/);
  await keys.tabTo(side().getByRole('button', { name: 'Remove: Platform is Web' }));
  await keys.press('Enter');
  await side().getByText('Always shown.').waitFor();
});

test('the JSON of a layer is written by keys, and left by them', async () => {
  const { flow, keys } = await walkTo('scr_welcome', /^Plants that.*, Text$/);
  const { id } = await layerOf(flow, 'scr_welcome', isTitle);
  const tabs = side().getByRole('radiogroup', { name: 'Show as' });
  await keys.tabTo(tabs.getByRole('radio'));
  await keys.press('ArrowRight');
  const code = side().getByRole('textbox', { name: /^JSON of / });
  await code.waitFor();
  await clean('the JSON of a layer');
  await keys.tabTo(code);
  // What its kind can have is offered while it is written.
  const offers = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
  await keys.press('ControlOrMeta+a');
  await keys.type('{ "sty');
  await offers.and(page.locator('[aria-selected=true]')).getByText('style', { exact: true }).waitFor();
  await clean('what the JSON of a layer can have');
  await keys.press('Enter');
  await keys.type('{ "align": ');
  await keys.press('Control+Space');
  await offers.getByText('center', { exact: true }).waitFor();
  await keys.press('Escape', 'ControlOrMeta+a');
  const text = { default: 'Written as JSON' };
  await page.keyboard.insertText(JSON.stringify({ text, style: { fontSize: 30 } }));
  await canvas().getByText('Written as JSON').first().waitFor();
  expect(await layerOf(flow, 'scr_welcome', (layer) => layer.id === id)).toMatchObject({ text });
  // Tab leads on from it: nobody is held in.
  await keys.press('Escape', 'Tab');
  expect(await code.evaluate((one) => one === document.activeElement)).toBe(false);
  await keys.tabTo(tabs.getByRole('radio'));
  await keys.press('ArrowLeft');
  await side().getByLabel('Size', { exact: true }).first().waitFor();
  expect(await side().getByLabel('Size', { exact: true }).first().inputValue()).toBe('30');
});

test('on a phone the editor shows its screens, texts and graph without barriers', async () => {
  const flow = await flowCalled('Welcome');
  await page.setViewportSize({ width: 390, height: 844 });
  for (const mode of ['design', 'graph', 'translate']) {
    await open(`flows/${flow}/edit?mode=${mode}`);
    await saved();
    await clean(`390 ${mode}`);
    expect([mode, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([mode, 390]);
  }
});

test('a number follows a drag of its name as one undo, and shows what a sum comes to', async () => {
  await walkTo('scr_welcome', /^Six quick.*, Text$/);
  const size = side().getByLabel('Size', { exact: true }).first();
  const before = await size.evaluate((one: HTMLInputElement) => Number(one.value || one.placeholder));
  const name = side()
    .locator('label', { hasText: /^Size$/ })
    .first();
  const { x, y } = (await name.boundingBox())!;
  const undo = () => page.getByRole('button', { name: /^Undo: / });
  await page.mouse.move(x + 8, y + 8);
  await page.mouse.down();
  await page.mouse.move(x + 28, y + 8, { steps: 10 });
  await expect.poll(() => size.inputValue()).toBe(String(before + 10));
  await page.mouse.move(x + 24, y + 8, { steps: 2 });
  await page.mouse.up();
  await expect.poll(() => size.inputValue()).toBe(String(before + 8));
  await page.mouse.move(x + 8, y + 8);
  await page.mouse.down();
  await page.mouse.move(x + 12, y + 8, { steps: 2 });
  await page.mouse.up();
  await expect.poll(() => size.inputValue()).toBe(String(before + 10));
  // Each drag is one undo.
  await undo().click();
  await expect.poll(() => size.inputValue()).toBe(String(before + 8));
  await undo().click();
  await expect.poll(() => size.evaluate((one: HTMLInputElement) => Number(one.value || one.placeholder))).toBe(before);
  expect(await undo().count()).toBe(0);
  await size.fill('(12 + 4) * 2');
  await side().getByText('= 32', { exact: true }).waitFor();
  await clean('a sum');
  await size.press('Enter');
  expect(await size.inputValue()).toBe('32');
});
