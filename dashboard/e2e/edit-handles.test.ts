import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

type Layer = { id: string; kind: string; gap?: number; style?: Record<string, unknown>; children?: Layer[] };
type Draft = { screens: { id: string; regions: Record<string, Layer> }[] };

const tree = (): Locator => page.getByRole('tree', { name: 'Layers' });
const canvas = () => page.getByRole('application', { name: 'Canvas' });
const layerIn = (id: string) =>
  page.frameLocator('iframe[title="Screens of the flow"]').locator(`[data-layer="${id}"]`);
const selected = () => new URL(page.url()).searchParams.get('layer') ?? '';
const undo = () => page.getByRole('button', { name: /^Undo: / });

async function layer(flow: string, id: string): Promise<Layer> {
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  const { draft } = (await server.ask<{ flow: { draft: Draft } }>(query, { id: flow })).flow;
  const all = (one: Layer): Layer[] => [one, ...(one.children ?? []).flatMap(all)];
  return draft.screens.flatMap(({ regions }) => Object.values(regions).flatMap(all)).find((one) => one.id === id)!;
}

/** Opens a flow at a screen, and selects its first layer of a name. */
async function select(screen: string, name: RegExp, of?: string): Promise<{ flow: string; id: string }> {
  const flow = of ?? (await flowCalled('Welcome'));
  await open(`flows/${flow}/edit?screen=${screen}`);
  await tree().getByRole('treeitem', { name }).first().click();
  await expect.poll(selected).not.toBe('');
  await layerIn(selected()).waitFor();
  await settled(page);
  return { flow, id: selected() };
}

/** The box of a layer on the page: the frame is as large as the canvas and lies under it. */
async function boxOf(id: string) {
  return (await layerIn(id).boundingBox())!;
}

async function picture(name: string) {
  if (process.env.E2E_PICTURES) await page.screenshot({ path: `${process.env.E2E_PICTURES}/${name}.png` });
}

/** Pixels of the page to one of the screen that a layer is on. */
const zoomAt = async (id: string) =>
  (await boxOf(id)).width / (await layerIn(id).evaluate((one) => (one as HTMLElement).offsetWidth));

/** Drags from a point by steps, without letting go. */
async function pull(from: { x: number; y: number }, by: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let part = 1; part <= 8; part++) await page.mouse.move(from.x + (by.x * part) / 8, from.y + (by.y * part) / 8);
}

test('a corner and an edge are dragged to a size, which is told, and is one undo', async () => {
  const { flow, id } = await select('scr_welcome', /^windowsill, Image$/);
  const before = (await layer(flow, id)).style ?? {};
  const box = await boxOf(id);
  await pull({ x: box.x + box.width / 2, y: box.y + box.height }, { x: 0, y: -60 });
  const said = /^Fixed (\d+)$/.exec(await canvas().getByRole('status').last().innerText())![1];
  await picture('handles-resize');
  await page.mouse.up();
  const { style } = await layer(flow, id);
  expect(style).toMatchObject({ height: Number(said) });
  expect(Math.abs(Number(said) - (box.height - 60) / (await zoomAt(id)))).toBeLessThan(8);
  expect(Math.abs((await boxOf(id)).height - (box.height - 60))).toBeLessThan(8);
  await undo().click();
  expect((await layer(flow, id)).style ?? {}).toEqual(before);
});

test('Escape gives back what a drag has changed, and leaves nothing to undo or redo', async () => {
  const { flow, id } = await select('scr_welcome', /^windowsill, Image$/);
  const before = (await layer(flow, id)).style ?? {};
  const box = await boxOf(id);
  const undos = await undo().count();
  await pull({ x: box.x + box.width / 2, y: box.y + box.height }, { x: 0, y: -80 });
  await expect.poll(async () => (await boxOf(id)).height).toBeLessThan(box.height - 40);
  await canvas().focus();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect((await layer(flow, id)).style ?? {}).toEqual(before);
  expect(await undo().count()).toBe(undos);
  expect(await page.getByRole('button', { name: /^Redo: / }).count()).toBe(0);
});

test('padding is dragged, stops at steps of the spacing, and takes the opposite side along with ⌥', async () => {
  const { flow, id } = await select('scr_goal', /^Keep my plants.*, Stack$|^Stack, Stack$/);
  const { style = {} } = await layer(flow, id);
  const box = await boxOf(id);
  const scale = await zoomAt(id);
  const padding = await layerIn(id).evaluate((one) => Number.parseFloat(getComputedStyle(one).paddingTop));
  const from = { x: box.x + box.width / 2, y: box.y + Math.max(9, (padding * scale) / 2) };
  await pull(from, { x: 0, y: 23 * scale - padding * scale });
  await expect.poll(() => canvas().getByRole('status').last().innerText()).toBe('Padding 24');
  await picture('handles-padding');
  await page.mouse.up();
  expect((await layer(flow, id)).style).toMatchObject({ padding: { t: 24 } });
  // With ⌥ the opposite side follows.
  const taller = await boxOf(id);
  await page.mouse.move(taller.x + taller.width / 2, taller.y + 12 * scale);
  await page.mouse.down();
  await page.keyboard.down('Alt');
  await page.mouse.move(taller.x + taller.width / 2, taller.y + 4 * scale, { steps: 6 });
  await page.mouse.up();
  await page.keyboard.up('Alt');
  const both = (await layer(flow, id)).style?.padding as Record<string, number>;
  expect([both.t, both.b]).toEqual([16, 16]);
  await undo().click();
  await undo().click();
  expect((await layer(flow, id)).style ?? {}).toEqual(style);
});

const sized = (width: number, height: number) => ({ width, height, backgroundColor: '#dddddd' });
const box = (name: string, style: object, more: object = {}) => ({
  ...{ id: `lyr_${name.toLowerCase()}`, kind: 'stack', name, direction: 'vertical', children: [], style },
  ...more,
});
/** A screen of boxes: two rows with a gap, and a card in which one stands free. */
const boxes = {
  ...{ flowId: crypto.randomUUID(), schemaVersion: 7, version: 1, defaultLocale: 'en', locales: ['en'] },
  ...{ entryScreenId: 'scr_boxes', decisionNodes: [], externalSurfaceNodes: [], sdkAttributeKeys: [] },
  screens: [
    {
      id: 'scr_boxes',
      name: 'Boxes',
      next: { default: null },
      regions: {
        body: box(
          'Body',
          { padding: { t: 20, r: 20, b: 20, l: 20 }, width: 'full', height: 'fill' },
          {
            gap: 24,
            children: [
              box(
                'Rows',
                { width: 'full', height: 'auto' },
                {
                  gap: 8,
                  children: [box('First', sized(200, 60)), box('Second', sized(200, 60))],
                },
              ),
              box('Card', sized(300, 200), {
                children: [
                  box('Free', { ...sized(80, 40), position: 'absolute', inset: { t: 20, l: 20 } }),
                  box('Loose', { ...sized(60, 40), position: 'absolute', inset: { t: 100, r: 70 } }),
                ],
              }),
            ],
          },
        ),
      },
    },
  ],
};

type Nested = { children: { children: object[] }[] };

async function selectBox(name: string, manifest: object = boxes) {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Boxes", manifest: $m}) { id } }',
    { a: server.apps[0]!.id, m: manifest },
  );
  const chosen = await select('scr_boxes', new RegExp(`^${name}, Stack$`), createFlow.id);
  return { ...chosen, scale: await zoomAt(chosen.id) };
}

const said = () => canvas().getByRole('status').last().innerText();

test('a gap and the corners are dragged to steps, as the screen shows', async () => {
  const { flow, id, scale } = await selectBox('Rows');
  const [first, second] = [await boxOf('lyr_first'), await boxOf('lyr_second')];
  const between = { x: first.x + first.width / 2, y: (first.y + first.height + second.y) / 2 };
  await pull(between, { x: 0, y: 9 * scale });
  await expect.poll(said).toBe('Gap 16');
  await page.mouse.up();
  expect((await layer(flow, id)).gap).toBe(16);
  const apart = (await boxOf('lyr_second')).y - first.y - first.height;
  expect(apart / scale).toBeCloseTo(16, 0);
  await undo().click();
  expect((await layer(flow, id)).gap).toBe(8);

  await tree()
    .getByRole('treeitem', { name: /^Card, Stack$/ })
    .click();
  await expect.poll(selected).toBe('lyr_card');
  const card = await boxOf('lyr_card');
  await pull({ x: card.x + 12, y: card.y + 12 }, { x: 20.4 * scale, y: 19.6 * scale });
  await expect.poll(said).toBe('Corners 20');
  await page.mouse.up();
  expect((await layer(flow, 'lyr_card')).style).toMatchObject({ radius: 20 });
  expect(await layerIn('lyr_card').evaluate((one) => getComputedStyle(one).borderTopLeftRadius)).toBe('20px');
});

test('a corner of the box sets both of its sides, and an edge stops at a guide', async () => {
  const { flow, id, scale } = await selectBox('First');
  const from = await boxOf(id);
  await pull({ x: from.x + from.width, y: from.y + from.height }, { x: 40 * scale, y: 33 * scale });
  await expect.poll(said).toBe('Fixed 240 × Fixed 93');
  await page.mouse.up();
  expect((await layer(flow, id)).style).toMatchObject({ width: 240, height: 93 });
  await undo().click();
  await expect.poll(async () => Math.round((await boxOf(id)).width / scale)).toBe(200);

  // Its right edge comes near to the middle of what it stands in.
  const rows = await boxOf('lyr_rows');
  const off = rows.x + rows.width / 2 - (from.x + from.width);
  await pull({ x: from.x + from.width, y: from.y + from.height / 2 }, { x: off + 2, y: 0 });
  const guide = (await canvas().locator('[class*="guide"]').boundingBox())!;
  expect(Math.abs(guide.x + guide.width / 2 - rows.x - rows.width / 2)).toBeLessThan(1);
  await page.mouse.up();
  const { x, y, width, height } = await boxOf(id);
  expect(Math.abs(x + width - rows.x - rows.width / 2)).toBeLessThan(scale);

  // A double click on an edge makes its side as large as what is in it.
  await page.mouse.dblclick(x + width / 2, y + height);
  expect((await layer(flow, id)).style).toMatchObject({ height: 'auto' });
  await undo().click();
  expect((await layer(flow, id)).style).toMatchObject({ height: 60 });
});

test('what stands free is moved, and stops where its middle is that of what is around it', async () => {
  const { flow, id, scale } = await selectBox('Free');
  const from = await boxOf(id);
  await pull({ x: from.x + from.width / 2, y: from.y + from.height / 2 }, { x: 88 * scale, y: 20 * scale });
  await expect.poll(said).toBe('110, 40');
  const [card, guide] = [await boxOf('lyr_card'), (await canvas().locator('[class*="guide"]').boundingBox())!];
  expect(Math.abs(guide.x + guide.width / 2 - card.x - card.width / 2)).toBeLessThan(1);
  await picture('handles-free');
  await page.mouse.up();
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 40, l: 110 } });
  const { x, width } = await boxOf(id);
  expect(Math.abs(x + width / 2 - card.x - card.width / 2)).toBeLessThan(scale);
  expect(await canvas().locator('[class*="guide"]').count()).toBe(0);
  await undo().click();
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 20, l: 20 } });
});

test('several that stand free are moved by one drag, and the box around them stops at a middle', async () => {
  const { flow, id, scale } = await selectBox('Free');
  const middleOf = ({ x, y, width, height }: Awaited<ReturnType<typeof boxOf>>) => ({
    x: x + width / 2,
    y: y + height / 2,
  });
  const loose = middleOf(await boxOf('lyr_loose'));
  await page.keyboard.down('Shift');
  await page.mouse.click(loose.x, loose.y);
  await page.keyboard.up('Shift');
  await expect.poll(() => tree().locator('[aria-selected=true]').count()).toBe(2);
  await pull(middleOf(await boxOf(id)), { x: 23 * scale, y: 30 * scale });
  await expect.poll(said).toBe('45, 50');
  const [card, guide] = [await boxOf('lyr_card'), (await canvas().locator('[class*="guide"]').boundingBox())!];
  expect(Math.abs(guide.x + guide.width / 2 - middleOf(card).x)).toBeLessThan(1);
  await picture('handles-several');
  await page.mouse.up();
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 50, l: 45 } });
  expect((await layer(flow, 'lyr_loose')).style).toMatchObject({ inset: { t: 130, r: 45 } });
  await canvas().focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowUp']) await page.keyboard.press(key);
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 40, l: 47 } });
  await undo().click();
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 50, l: 45 } });
  await page.getByRole('button', { name: 'Undo: Move 2 layers' }).click();
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 20, l: 20 } });
  expect((await layer(flow, 'lyr_loose')).style).toMatchObject({ inset: { t: 100, r: 70 } });
});

test('three that stand free are distributed by equal gaps, by the key and by the menu', async () => {
  const third = box('Third', { ...sized(20, 20), position: 'absolute', inset: { t: 170, l: 270 } });
  const manifest = structuredClone(boxes);
  (manifest.screens[0]!.regions.body as unknown as Nested).children[1]!.children.push(third as never);
  const { flow, id } = await selectBox('Free', manifest);
  await canvas().focus();
  await page.keyboard.press('Shift+D');
  await page.getByText('Select three layers or more to distribute').waitFor();
  for (const other of ['lyr_loose', 'lyr_third']) {
    const { x, y, width, height } = await boxOf(other);
    await page.keyboard.down('Shift');
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.keyboard.up('Shift');
  }
  await expect.poll(() => tree().locator('[aria-selected=true]').count()).toBe(3);
  await canvas().focus();
  await page.keyboard.press('Shift+D');
  // From 20 to 290 there are 110 pixels beside the three.
  await expect.poll(async () => (await layer(flow, 'lyr_loose')).style).toMatchObject({ inset: { t: 100, r: 85 } });
  expect((await layer(flow, id)).style).toMatchObject({ inset: { t: 20, l: 20 } });
  await page.getByRole('button', { name: 'Undo: Distribute 3 layers' }).click();
  await expect.poll(async () => (await layer(flow, 'lyr_loose')).style).toMatchObject({ inset: { t: 100, r: 70 } });
  await canvas().focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Distribute vertically' }).click();
  await expect.poll(async () => (await layer(flow, 'lyr_loose')).style).toMatchObject({ inset: { t: 95, r: 70 } });
});

test('on the canvas Tab goes to the layer beside, and Space with the pointer moves the board', async () => {
  const { id } = await selectBox('First');
  // Who only comes by with Tab goes on, and keeps the selection.
  await canvas().focus();
  await page.keyboard.press('Tab');
  expect(await canvas().evaluate((one) => one === document.activeElement)).toBe(false);
  expect(selected()).toBe(id);
  const box = await boxOf(id);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.press('Tab');
  await expect.poll(selected).toBe('lyr_second');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(selected).toBe(id);
  const from = await boxOf(id);
  await page.keyboard.down(' ');
  await pull({ x: from.x + from.width / 2, y: from.y + from.height / 2 }, { x: 40, y: 24 });
  await page.mouse.up();
  await page.keyboard.up(' ');
  const to = await boxOf(id);
  expect([Math.round(to.x - from.x), Math.round(to.y - from.y)]).toEqual([40, 24]);
  expect([await undo().count(), selected()]).toEqual([0, id]);
  // Behind the last one the focus goes on.
  await page.keyboard.press('Tab');
  await expect.poll(selected).toBe('lyr_second');
  await page.keyboard.press('Tab');
  expect(await canvas().evaluate((one) => one === document.activeElement)).toBe(false);
});

test('with ⌥ held the distances to what the pointer is over are told in pixels', async () => {
  const { id } = await select('scr_welcome', /^TENDRIL, Text$/);
  const next = tree().getByRole('treeitem', { name: /^Plants that.*, Text$/ });
  await next.click();
  await expect.poll(selected).not.toBe(id);
  const over = await boxOf(selected());
  await tree()
    .getByRole('treeitem', { name: /^TENDRIL, Text$/ })
    .click();
  const own = await boxOf(id);
  await page.mouse.move(over.x + over.width / 2, over.y + over.height / 2);
  await page.keyboard.down('Alt');
  const gap = Math.round((over.y - own.y - own.height) / (await zoomAt(id)));
  await expect.poll(() => canvas().getByRole('status').allInnerTexts()).toContain(String(gap));
  await picture('handles-distances');
  await page.keyboard.up('Alt');
  await expect.poll(() => canvas().getByRole('status').count()).toBe(0);
});

test('the handles are readable beside what apps look like, in both schemes, and are no barrier', async () => {
  await select('scr_goal', /^Stack, Stack$/);
  for (const width of [1440, 1920])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await settled(page);
      await picture(`handles-${width}-${colorScheme}`);
      expect([width, colorScheme, await violations(page)]).toEqual([width, colorScheme, []]);
    }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: null });
});
