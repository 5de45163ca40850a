import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { Keyboard } from './keyboard';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

type Layer = { id: string; kind: string; iconName?: string; children?: Layer[] };
type Screen = { id: string; regions: Record<string, Layer>; animations?: { tracks: { keyframes: object[] }[] }[] };

const side = (): Locator => page.getByRole('complementary', { name: 'Properties' });
const rows = (): Locator => page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
const drawn = (id: string): Locator =>
  page.frameLocator('iframe[title="Screens of the flow"]').locator(`[data-layer="${id}"] svg`).first();
const isFocused = (one: Locator) => one.evaluate((one) => one === document.activeElement);

async function stored(flow: string, screen: string): Promise<Screen> {
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  const { flow: is } = await server.ask<{ flow: { draft: { screens: Screen[] } } }>(query, { id: flow });
  return is.draft.screens.find(({ id }) => id === screen)!;
}

function iconsOf({ regions }: Screen): Layer[] {
  const all = (layer: Layer): Layer[] => [layer, ...(layer.children ?? []).flatMap(all)];
  return Object.values(regions)
    .flatMap(all)
    .filter(({ kind, id }) => kind === 'icon' && !/_(un)?sel$/.test(id)); // those show only by what is chosen
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

test('an icon is found by what it means and chosen by keys', async () => {
  const flow = await flowCalled('Welcome');
  const icon = iconsOf(await screenWithIcon(flow))[0]!;
  const { id: screen } = await screenWithIcon(flow);
  await open(`flows/${flow}/edit?screen=${screen}&layer=${icon.id}`);
  const keys = new Keyboard(page);
  const field = side().getByRole('button', { name: /^Icon: / });
  await expect.poll(() => drawn(icon.id).innerHTML()).not.toBe('');
  const before = await drawn(icon.id).innerHTML();
  expect(await field.locator('svg').innerHTML(), 'the field shows the icon of the canvas').toBe(before);
  await keys.tabTo(field);
  await keys.press('Enter');
  const picker = page.getByRole('dialog', { name: 'Icons' });
  const search = picker.getByRole('searchbox', { name: 'Search icons' });
  await picker.getByRole('option').first().waitFor();
  await expect.poll(() => isFocused(search)).toBe(true);
  expect(await picker.getByRole('option').count()).toBeGreaterThan(400);
  await keys.type('workout');
  await picker.getByRole('option', { name: 'barbell' }).waitFor();
  await expect.poll(() => picker.getByRole('status').textContent()).toMatch(/^\d icons$/);
  await clean('a picker of icons');
  await keys.press('ArrowDown');
  const options = picker.getByRole('option');
  await expect.poll(() => isFocused(options.first())).toBe(true);
  await keys.press('ArrowRight');
  expect(await isFocused(options.nth(1))).toBe(true);
  await keys.press('Home', 'ArrowUp');
  expect(await isFocused(search), 'above the grid is the search').toBe(true);
  await keys.press('Enter');
  await picker.waitFor({ state: 'hidden' });
  await expect.poll(() => isFocused(field)).toBe(true); // it goes back
  const after = iconsOf(await stored(flow, screen)).find(({ id }) => id === icon.id)!;
  expect(after.iconName).toMatch(/^(barbell|fitness)/);
  await expect.poll(() => drawn(icon.id).innerHTML()).not.toBe(before);
  expect(await field.locator('svg').innerHTML()).toBe(await drawn(icon.id).innerHTML());
  await keys.press('Enter');
  await expect.poll(() => isFocused(search)).toBe(true);
  await keys.type('no such thing');
  await expect.poll(() => picker.getByRole('status').textContent()).toBe('0 icons');
  await keys.press('Enter', 'Escape');
  await picker.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /^Undo: / }).click();
  await expect.poll(() => drawn(icon.id).innerHTML()).toBe(before);
});

async function screenWithIcon(flow: string): Promise<Screen> {
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  const { flow: is } = await server.ask<{ flow: { draft: { screens: Screen[] } } }>(query, { id: flow });
  return is.draft.screens.find((screen) => iconsOf(screen).length > 0)!;
}

test('the curve between two values is chosen by keys, as a picture', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_goal`);
  await rows().first().waitFor();
  const keys = new Keyboard(page);
  await keys.tabTo(side().locator('summary', { hasText: 'Motion' }));
  await keys.press('Enter');
  await keys.tabTo(side().getByRole('button', { name: /^Animation 1: / }));
  await keys.press('Enter');
  const field = side()
    .getByRole('button', { name: /^Easing after value 1: / })
    .first();
  await keys.tabTo(field);
  await keys.press('Enter');
  const choices = page.getByRole('radiogroup', { name: 'Easing after value 1' });
  await expect.poll(() => isFocused(choices.getByRole('radio', { checked: true }))).toBe(true);
  await clean('curves');
  for (let at = 0; at < 6 && !(await choices.getByRole('radio', { name: 'Emphasized' }).isChecked()); at++)
    await keys.press('ArrowRight');
  await keys.press('Enter');
  await choices.waitFor({ state: 'hidden' });
  await expect.poll(() => isFocused(field)).toBe(true); // it goes back
  expect(await field.getAttribute('aria-label')).toBe('Easing after value 1: Emphasized');
  expect((await stored(flow, 'scr_goal')).animations![0]!.tracks[0]!.keyframes[0]).toMatchObject({
    easing: 'emphasized',
  });
});

test('the preview shows what a user who asks for less motion sees', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_goal`);
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Preview', exact: true });
  const run = drawer.frameLocator('iframe');
  /** The least opacity that the title has while the screen opens. */
  const faintest = async () => {
    await drawer.getByRole('button', { name: 'From here' }).click();
    return run.locator('body').evaluate(async (body) => {
      let least = 1;
      for (const end = performance.now() + 500; performance.now() < end; ) {
        await new Promise(requestAnimationFrame);
        let seen = 1;
        for (let one = body.querySelector('[data-layer="lyr_goal_title"]'); one; one = one.parentElement)
          seen *= Number(getComputedStyle(one).opacity);
        least = Math.min(least, seen);
      }
      return least;
    });
  };
  await run.locator('[data-layer="lyr_goal_title"]').waitFor();
  // On a busy machine the screen may be open before it is looked at: it is opened again then.
  await expect.poll(faintest).toBeLessThan(0.9);
  await drawer.getByRole('button', { name: 'Options' }).click();
  await drawer.getByRole('button', { name: 'Reduced motion' }).click();
  expect(await drawer.getByRole('button', { name: 'Reduced motion', pressed: true }).count()).toBe(1);
  expect(await faintest()).toBe(1);
});
