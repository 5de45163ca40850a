import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addressOf, flowCalled, page, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

const rows = (at: Page) => at.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
const labels = (at: Page) => rows(at).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')!));
const screens = (at: Page) =>
  at.getByRole('complementary', { name: 'Screens and layers' }).getByRole('list').first().getByRole('link');
const menu = (at: Page) => at.getByRole('menu', { name: 'What is selected' });
const undo = (at: Page, name: string | RegExp) =>
  at.getByRole('button', { name: name instanceof RegExp ? name : `Undo: ${name}` });
const saved = (at: Page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const text = (at: Page) => rows(at).filter({ has: at.locator('xpath=self::*[contains(@aria-label, ", Text")]') });

async function edit(at: Page, name: string): Promise<void> {
  await at.goto(addressOf(`flows/${await flowCalled(name)}/edit`));
  await rows(at).first().waitFor();
}

test('layers are cut, copied and pasted by keys, in another tab and flow too', async () => {
  await edit(page, 'Welcome');
  const before = await labels(page);
  const label = (await text(page).first().getAttribute('aria-label'))!;
  await text(page).first().click();
  await page.keyboard.press('Control+x');
  await undo(page, /^Undo: Cut “/).waitFor();
  await expect.poll(async () => (await labels(page)).length).toBe(before.length - 1);
  await undo(page, /^Undo: Cut “/).click();
  await expect.poll(() => labels(page)).toEqual(before);
  await page.keyboard.press('Control+c');

  const tab = await visitor.context.newPage();
  await edit(tab, 'Reminders');
  const there = await labels(tab);
  await rows(tab).nth(1).click();
  await tab.keyboard.press('Control+v');
  await undo(tab, /^Undo: Paste “/).waitFor();
  const pasted = await labels(tab);
  expect([pasted.length, pasted.includes(label)]).toEqual([there.length + 1, true]);
  await undo(tab, /^Undo: Paste “/).click();
  await expect.poll(() => labels(tab)).toEqual(there);
  await saved(tab);
});

test('a screen is copied in the list of screens, and pasted behind the open one', async () => {
  await edit(page, 'Welcome');
  const before = await screens(page).allTextContents();
  await screens(page).nth(1).focus();
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect.poll(() => screens(page).allTextContents()).toEqual(before.toSpliced(2, 0, before[1]!));
  await undo(page, `Paste “${before[1]}”`).click();
  await expect.poll(() => screens(page).allTextContents()).toEqual(before);
  await saved(page);
});

test('the menu of a layer pastes what is copied and its style, and says what is no layer', async () => {
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await edit(page, 'Welcome');
  const before = await labels(page);
  await text(page).first().click({ button: 'right' });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await menu(page).getByRole('menuitem', { name: 'Copy' }).click();
  await text(page).nth(1).click();
  const more = page.getByRole('button', { name: 'More for what is selected' });
  await more.click();
  await menu(page)
    .getByRole('menuitem', { name: /^Paste style/ })
    .click();
  await undo(page, /^Undo: Paste the style of “/).click();
  await more.click();
  await menu(page)
    .getByRole('menuitem', { name: /^Paste ?⌘V/ })
    .click();
  await expect.poll(async () => (await labels(page)).length).toBe(before.length + 1);
  await undo(page, /^Undo: Paste “/).click();

  for (const [words, why] of [
    ['hello', 'The clipboard has no layers'],
    ['{"svc":"layers","nodes":[{"id":"a","kind":"marquee"}]}', 'There is no kind of layer “marquee” here'],
  ] as const) {
    await page.evaluate((words) => navigator.clipboard.writeText(words), words);
    await rows(page).first().focus();
    await page.keyboard.press('Control+v');
    await page.getByText(why).waitFor();
  }
  expect(await labels(page)).toEqual(before);
});
