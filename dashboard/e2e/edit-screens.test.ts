import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { flowCalled, open, page, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const left = (at: Page) => at.getByRole('complementary', { name: 'Screens and layers' });
const list = (at: Page) => left(at).getByRole('list').first();
const field = (at: Page) => left(at).getByRole('textbox', { name: 'Name', exact: true });
const rows = (at: Page) => list(at).getByRole('link');
const names = (at: Page) => rows(at).allTextContents();
const saved = (at: Page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const heard = (at: Page, words: string) => at.locator('.reader').getByText(words, { exact: true }).waitFor();

/** Opens a flow at its first screen; returns the names of its screens, the first without its mark. */
async function opened(name: string): Promise<string[]> {
  await open(`flows/${await flowCalled(name)}/edit`);
  await rows(page).first().waitFor();
  return (await names(page)).map((one) => one.replace(/First$/, ''));
}

test('a screen is added, named, copied, moved and deleted, with keys as with the pointer, and all of it undone', async () => {
  const [first, ...others] = await opened('Welcome');
  const shown = async () => (await names(page)).map((one) => one.replace(/First$/, ''));
  await page.getByRole('button', { name: 'Add a screen', exact: true }).click();
  await field(page).fill('Morning');
  await page.keyboard.press('Enter');
  await expect.poll(shown).toEqual([first, 'Morning', ...others]);
  expect(new URL(page.url()).searchParams.get('screen')).toMatch(/^scr_/);
  await heard(page, `Rename “Screen ${others.length + 2}”`);

  const row = rows(page).filter({ hasText: /^Morning$/ });
  await expect.poll(() => row.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press('F2');
  await page.keyboard.insertText('Nothing');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(shown).toEqual([first, others[0], 'Morning', ...others.slice(1)]);
  await expect.poll(() => row.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+d');
  await expect.poll(shown).toEqual([first, others[0], 'Morning', 'Morning copy', ...others.slice(1)]);

  await page.getByRole('button', { name: 'More for Morning', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Make it first' }).click();
  await expect.poll(() => names(page)).toEqual(['MorningFirst', first, others[0], 'Morning copy', ...others.slice(1)]);
  await heard(page, 'Make “Morning” the first');

  await rows(page).first().press('Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete “Morning”?' });
  await dialog.getByText('the start of the flow').waitFor();
  await dialog.getByText(`It leads to “${first}” afterwards.`).waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete screen' }).click();
  await expect.poll(() => names(page)).toEqual([`${first}First`, others[0], 'Morning copy', ...others.slice(1)]);

  for (let undone = 0; undone < 6; undone++) await page.getByRole('button', { name: /^Undo: / }).click();
  await expect.poll(() => names(page)).toEqual([`${first}First`, ...others]);
  await saved(page);
});

test('a screen is dragged in the list, and Escape lets it be', async () => {
  const before = await opened('Welcome');
  const from = (await rows(page).nth(1).boundingBox())!;
  const to = (await rows(page).nth(2).boundingBox())!;
  const drag = async () => {
    await page.mouse.move(from.x + 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + 20, { steps: 2 });
    await page.mouse.move(to.x + 60, to.y + to.height - 4, { steps: 3 });
    await list(page).locator('[data-line]').waitFor();
  };
  await drag();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect((await names(page))[1]).toBe(before[1]);
  await drag();
  await page.mouse.up();
  await expect.poll(() => names(page).then((all) => all.slice(1, 3))).toEqual([before[2], before[1]]);
  await page.getByRole('button', { name: `Undo: Move “${before[1]}”` }).click();
  await expect.poll(() => names(page).then((all) => all[1])).toBe(before[1]);
  await saved(page);
});

test('a layer is named in the tree', async () => {
  await opened('Reminders');
  const layers = page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
  await layers.nth(1).click();
  await page.keyboard.press('r');
  await field(page).fill('Main words');
  await page.keyboard.press('Enter');
  await page.getByRole('treeitem', { name: /^Main words, / }).waitFor();
  await page.getByRole('button', { name: /^Undo: Rename/ }).click();
  await saved(page);
});

test('a new screen says how it gets its first layer, and another device shows the screen whole', async () => {
  await opened('Welcome');
  const hint = page.getByRole('application', { name: 'Canvas' }).getByText('Drag the first layer here');
  await page.getByRole('button', { name: 'Add a screen', exact: true }).click();
  await page.keyboard.press('Escape');
  await hint.waitFor();
  await left(page).getByText('Add', { exact: true }).click();
  await page.getByRole('option', { name: 'Text', exact: true }).click();
  await hint.waitFor({ state: 'detached' });

  const stage = (await page.getByRole('application', { name: 'Canvas' }).boundingBox())!;
  const screen = page.frameLocator('iframe[title="Screens of the flow"]').locator('[data-place="scr_welcome"]');
  await rows(page).first().click();
  await page.getByRole('combobox', { name: 'Device' }).click();
  await page.getByRole('option', { name: 'Large desktop' }).click();
  await expect.poll(async () => (await screen.boundingBox())!.width).toBeGreaterThan(500);
  const box = (await screen.boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(stage.x);
  expect(box.x + box.width).toBeLessThanOrEqual(stage.x + stage.width);
});

test('a screen that is selected elsewhere comes into sight in the list', async () => {
  await opened('Welcome');
  const last = rows(page).last();
  const words = (await last.textContent())!;
  const inSight = () =>
    last.evaluate((row) => {
      const panel = row.closest('section')!.getBoundingClientRect();
      return row.getBoundingClientRect().bottom <= panel.bottom + 1;
    });
  expect(await inSight()).toBe(false);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search commands and screens' }).fill(words);
  await page.keyboard.press('Enter');
  await expect.poll(inSight).toBe(true);
});
