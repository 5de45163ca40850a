import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

type Layer = { id: string; kind: string; style?: Record<string, unknown>; children?: Layer[] };

const side = (): Locator => page.getByRole('complementary', { name: 'Properties' });
const tree = (): Locator => page.getByRole('tree', { name: 'Layers' });

/** What the server has of some layers of a screen, as soon as it has all. */
async function stylesOf(flow: string, ids: readonly string[]) {
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  type Draft = { screens: { id: string; regions: Record<string, Layer> }[] };
  const { draft } = (await server.ask<{ flow: { draft: Draft } }>(query, { id: flow })).flow;
  const all = (layer: Layer): Layer[] => [layer, ...(layer.children ?? []).flatMap(all)];
  const layers = draft.screens.flatMap(({ regions }) => Object.values(regions).flatMap(all));
  return ids.map((id) => layers.find((layer) => layer.id === id)?.style ?? {});
}

test('several layers show what they have in common, and one change is made to all of them', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_welcome`);
  const texts = tree().getByRole('treeitem', { name: /, Text$/ });
  await texts.nth(0).click();
  const first = new URL(page.url()).searchParams.get('layer')!;
  await texts.nth(1).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('layer')).not.toBe(first);
  const second = new URL(page.url()).searchParams.get('layer')!;
  const before = await stylesOf(flow, [first, second]);
  await texts.nth(0).click({ modifiers: ['Shift'] });
  await side().getByRole('heading', { name: '2 layers' }).waitFor();

  // Sizes of letters differ, and say so; what they are set to holds for both.
  const size = side().getByLabel('Size', { exact: true });
  expect(before[0]!.fontSize).not.toBe(before[1]!.fontSize);
  expect(await size.inputValue()).toBe('');
  expect(await size.getAttribute('placeholder')).toBe('Mixed');
  await size.fill('21');
  await size.press('Enter');
  expect((await stylesOf(flow, [first, second])).map(({ fontSize }) => fontSize)).toEqual([21, 21]);
  expect(await size.inputValue()).toBe('21');

  await side().getByLabel('Padding: top', { exact: true }).fill('12');
  await side().getByLabel('Padding: top', { exact: true }).press('Enter');
  const padded = await stylesOf(flow, [first, second]);
  expect(padded.map(({ padding }) => (padding as { t?: number }).t)).toEqual([12, 12]);

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    if (process.env.E2E_PICTURES)
      await page.screenshot({ path: `${process.env.E2E_PICTURES}/several-${colorScheme}.png` });
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });

  // Each change is one undo for all.
  for (const _ of ['padding', 'size']) await page.getByRole('button', { name: /^Undo: / }).click();
  expect(await stylesOf(flow, [first, second])).toEqual(before);
});

test('layers of other kinds have fewer properties in common, and a reset takes a value away from all', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_welcome`);
  await tree()
    .getByRole('treeitem', { name: /, Button$/ })
    .first()
    .click();
  await tree()
    .getByRole('treeitem', { name: /, Text$/ })
    .first()
    .click({ modifiers: ['ControlOrMeta'] });
  await side().getByText('Several kinds').waitFor();
  expect(await side().getByLabel('Line height', { exact: true }).count()).toBe(0);
  expect(await side().getByLabel('Name', { exact: true }).count()).toBe(0);
  const opacity = side().getByLabel('Opacity', { exact: true });
  await opacity.fill('0.5');
  await opacity.press('Enter');
  await side().getByRole('button', { name: 'Reset Opacity' }).click();
  expect(await opacity.getAttribute('placeholder')).toBe('1');
  expect(await page.getByRole('button', { name: /^Undo: Reset / }).count()).toBe(1);
});
