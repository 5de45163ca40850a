import type { FrameLocator, Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { somebody } from './people';
import { resolved } from './served';
import { addressOf, flowCalled, open, page, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

const title = 'Plants that outlive your good intentions';
const canvasOf = (at: Page): FrameLocator => at.frameLocator('iframe[title="Screens of the flow"]');

/** Presses a layer where it is on the canvas: what marks it lies over the frame. */
async function press(at: Page, words: string, times: 1 | 2 = 1): Promise<void> {
  const layer = canvasOf(at).getByText(words).first();
  await layer.waitFor();
  const box = (await layer.boundingBox())!;
  await at.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { clickCount: times });
}

const saved = (at: Page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();

test('a headline is written where it stands, published, and served to apps', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/versions`);
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await press(page, 'Plants that outlive', 2);
  const field = page.getByRole('textbox', { name: 'Text', exact: true }).first();
  await expect.poll(() => field.inputValue()).toBe(title);
  await page.keyboard.press('End');
  await page.keyboard.insertText(', {{first_name}}');
  await field.press('Escape');
  await saved(page);
  await page.getByRole('button', { name: /^Undo: / }).click();
  await canvasOf(page).getByText(title, { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Redo: / }).click();
  await saved(page);
  await page.getByRole('link', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').waitFor();
  for (const channel of await dialog.getByLabel(/gets the new version/).all()) await channel.check();
  await dialog.getByRole('button', { name: 'Publish and set live' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(async () => textsIn(await resolved('Welcome'))).toContain(`${title}, {{first_name}}`);
});

test('the tree, the canvas and the address show the same layer', async () => {
  const flow = await flowCalled('Before you go');
  await open(`flows/${flow}/edit`);
  const tree = page.getByRole('tree', { name: 'Layers' });
  await tree.getByRole('treeitem').nth(2).click();
  const layer = () => new URL(page.url()).searchParams.get('layer');
  const at = () => tree.getByRole('treeitem').evaluateAll((all) => all.findIndex((one) => one.ariaSelected === 'true'));
  await expect.poll(layer).toMatch(/^lyr_/);
  const id = layer();
  await page.reload();
  await expect.poll(at).toBe(2);
  await page.keyboard.press('Escape');
  await expect.poll(at).toBeLessThan(2);
  expect(layer()).not.toBe(id);
});

test('what is changed in the inspector is on the canvas', async () => {
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/edit`);
  const text = canvasOf(page).locator('span[data-layer]').first();
  await text.waitFor();
  const id = (await text.getAttribute('data-layer'))!;
  await open(`flows/${flow}/edit?layer=${id}`);
  const size = page.getByLabel('Size', { exact: true });
  await size.fill('20 + 11');
  await size.press('Enter');
  await expect.poll(() => text.evaluate((element) => getComputedStyle(element).fontSize)).toBe('31px');
  await saved(page);
  await size.press('ArrowUp');
  await expect.poll(() => text.evaluate((element) => getComputedStyle(element).fontSize)).toBe('32px');
  await page.getByRole('button', { name: /^Undo: / }).click();
});

test('layers are added, copied and removed, and every one of it is undone', async () => {
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/edit`);
  const rows = page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
  await rows.first().waitFor();
  const before = await rows.count();
  await page.getByText('Add', { exact: true }).click();
  await page.getByRole('option', { name: 'Text', exact: true }).click();
  await page.getByText('Layers', { exact: true }).first().click();
  await expect.poll(() => rows.count()).toBe(before + 1);
  await page.getByRole('application', { name: 'Canvas' }).focus();
  await page.keyboard.press('Control+d');
  await expect.poll(() => rows.count()).toBe(before + 2);
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.getByRole('alert').getByText('Select a layer to remove').waitFor();
  await expect.poll(() => rows.count()).toBe(before + 1);
  for (const more of [2, 1, 0]) {
    await page.keyboard.press('Control+z');
    await expect.poll(() => rows.count()).toBe(before + more);
  }
  await saved(page);
});

/** Rows of the demo's first screen by how their words begin: tests before may have added to them. */
const headline = /^Plants that outlive.*, Text$/;
const body = /^Six quick questions.*, Text$/;
const namesIn = (at: Page) =>
  at.getByRole('treeitem').evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
/** Whether the headline stands below the words that it stands above in the demo. */
const isBelow = async () => {
  const names = await namesIn(page);
  const [at, than] = [headline, body].map((words) => names.findIndex((name) => words.test(name)));
  expect([at, than]).not.toContain(-1);
  return at! > than!;
};

/** Drags from a point to another, and says where the page names the place before it lets go. */
async function drag(from: { x: number; y: number }, to: { x: number; y: number }, hints: Locator): Promise<string> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x, from.y + 8, { steps: 2 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  const says = await hints.textContent();
  await page.mouse.up();
  return says ?? '';
}

test('a layer is dragged below another in the tree, which says where, and comes back by one undo', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit`);
  const tree = page.getByRole('tree', { name: 'Layers' });
  const from = (await tree.getByRole('treeitem', { name: headline }).boundingBox())!;
  const to = (await tree.getByRole('treeitem', { name: body }).boundingBox())!;
  expect(await isBelow()).toBe(false);
  const end = { x: to.x + 90, y: to.y + to.height - 3 };
  const says = await drag({ x: from.x + 90, y: from.y + 8 }, end, tree.locator('output'));
  expect(says).toMatch(/^in Stack, below Six quick questions/);
  await expect.poll(isBelow).toBe(true);
  await saved(page);
  await page.getByRole('button', { name: /^Undo: Move “Plants/ }).click();
  await expect.poll(isBelow).toBe(false);
  await saved(page);
});

test('a selected layer is dragged below another on the canvas, and Escape lets it be', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit`);
  await press(page, 'Plants that outlive', 2);
  await page.keyboard.press('Escape');
  await page.getByRole('treeitem', { name: headline, selected: true }).waitFor();
  const from = (await canvasOf(page).getByText('Plants that outlive').first().boundingBox())!;
  const to = (await canvasOf(page).getByText('Six quick questions').first().boundingBox())!;
  const start = { x: from.x + 40, y: from.y + from.height / 2 };
  const end = { x: to.x + 40, y: to.y + to.height - 2 };
  const canvas = page.getByRole('application', { name: 'Canvas' });
  await canvas.focus();
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await canvas.locator('output').waitFor();
  await page.keyboard.press('Escape');
  await canvas.locator('output').waitFor({ state: 'detached' });
  await page.mouse.up();
  expect(await isBelow()).toBe(false);
  expect(await drag(start, end, canvas.locator('output'))).toMatch(/^in Stack, below Six quick questions/);
  await expect.poll(isBelow).toBe(true);
  await page.getByRole('button', { name: /^Undo: Move “Plants/ }).click();
  await expect.poll(isBelow).toBe(false);
  await saved(page);
});

test('a viewer sees everything and can change nothing', async () => {
  const viewer = await somebody(visitor, 'VIEWER');
  const flow = await flowCalled('Welcome');
  await viewer.page.goto(addressOf(`flows/${flow}/edit`));
  await viewer.page.getByRole('status').getByText('View only').waitFor();
  await press(viewer.page, 'Six quick questions', 2);
  await viewer.page.getByRole('treeitem', { selected: true }).waitFor();
  expect(await viewer.page.getByRole('textbox', { name: 'Text', exact: true }).isDisabled()).toBe(true);
  for (const name of [/^Undo/, /^Redo/, /^Publish/])
    expect(await viewer.page.getByRole('button', { name }).count()).toBe(0);
  expect(await viewer.page.getByRole('link', { name: 'Publish' }).count()).toBe(0);
});

test('an editor that is asked for a flow that is not there says so', async () => {
  await open('flows/01890000-0000-7000-8000-000000000000/edit');
  await page.getByText('There is no such flow').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a layer that is selected leaves the page free of barriers', async () => {
  const flow = await flowCalled('Welcome');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await open(`flows/${flow}/edit`);
    await press(page, 'Plants that outlive');
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
});

const textsIn = (answer: string) => [...answer.matchAll(/"default":"(Plants[^"]*)"/g)].map(([, text]) => text);
