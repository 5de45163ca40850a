import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';
import { barriers, settled, violations } from './visitor';

suite();

const saved = (at: Page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const dialog = (at: Page) => at.getByRole('dialog', { name: 'History' });
const entries = (at: Page) => dialog(at).locator('button[aria-pressed]');

async function textOf(flow: string): Promise<string> {
  const answer = await server.ask<{ flow: { draft: object } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  return JSON.stringify(answer.flow.draft);
}

/** Writes the headline of the flow's first screen. */
async function write(at: Page, words: string) {
  await at.getByRole('textbox', { name: /^They can’t call you.*, German$/ }).fill(words);
  await saved(at);
}

test('who changed what is told with pictures, a state is restored, and undo takes that back', async () => {
  const flow = await flowCalled('Reminders');
  const editor = await somebody(visitor, 'EDITOR');
  await editor.page.goto(addressOf(`flows/${flow}/edit?mode=translate`));
  await write(editor.page, 'Worte von Ben');
  await open(`flows/${flow}/edit?mode=translate`);
  await write(page, 'Worte von Anna');

  await page.getByRole('button', { name: 'History', exact: true }).click();
  await expect.poll(() => entries(page).count()).toBeGreaterThanOrEqual(2);
  await dialog(page).getByText('This is the draft as it is now.').waitFor();
  await entries(page).nth(1).click();
  await dialog(page)
    .getByText(/“Ask” differs from now/)
    .waitFor();
  await dialog(page).locator('iframe[title="Ask, then"]').waitFor();
  await dialog(page).locator('iframe[title="Ask, now"]').waitFor();
  await settled(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  await dialog(page).getByRole('button', { name: 'Restore this state' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await saved(page);
  expect(await textOf(flow)).toContain('Worte von Ben');
  // The other has it, too.
  const german = editor.page.getByRole('textbox', { name: /^They can’t call you.*, German$/ });
  await expect.poll(() => german.inputValue()).toBe('Worte von Ben');

  await page.getByRole('button', { name: /^Undo: Go back to / }).click();
  await saved(page);
  expect(await textOf(flow)).toContain('Worte von Anna');
  await page.getByRole('button', { name: 'History', exact: true }).click();
  await dialog(page)
    .getByText(/^Undo: Go back to /)
    .first()
    .waitFor();
});

test('what was there before the first change is shown and restored', async () => {
  const flow = await flowCalled('Before you go');
  const made = await textOf(flow);
  await open(`flows/${flow}/edit?mode=translate`);
  await page
    .getByRole('textbox', { name: /, German$/ })
    .first()
    .fill('Andere Worte');
  await saved(page);
  expect(await textOf(flow)).not.toBe(made);
  await page.getByRole('button', { name: 'History', exact: true }).click();
  await entries(page).last().getByText('The flow as it was made').waitFor();
  await entries(page).last().click();
  await dialog(page)
    .getByText(/differs from now/)
    .waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Restore this state' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await saved(page);
  const contentOf = (text: string) => ({ ...JSON.parse(text), version: 0 });
  expect(contentOf(await textOf(flow))).toEqual(contentOf(made));
});

test('who may not edit reads the history, on a phone too, and restores nothing', async () => {
  const viewer = await somebody(visitor, 'VIEWER');
  const flow = await flowCalled('Reminders');
  expect(await barriers(viewer.page, [addressOf(`flows/${flow}/edit?mode=translate`)])).toEqual([]);
  await viewer.page.setViewportSize({ width: 390, height: 844 });
  await viewer.page.getByRole('button', { name: 'History', exact: true }).click();
  await entries(viewer.page).nth(1).click();
  await dialog(viewer.page).locator('iframe[title="Ask, then"]').waitFor();
  expect(await dialog(viewer.page).getByRole('button', { name: 'Restore this state' }).count()).toBe(0);
  expect(await violations(viewer.page)).toEqual([]);
});
