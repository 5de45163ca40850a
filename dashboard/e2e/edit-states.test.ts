import { expect, test } from 'vitest';
import { flowCalled, open, page, suite } from './suite';
import { violations } from './visitor';

suite();

const menu = () => page.getByRole('button', { name: /^State: / });
const canvas = () => page.frameLocator('iframe[title="Screens of the flow"]');

async function choose(state: string) {
  await menu().click();
  await page.getByRole('menuitem', { name: state, exact: true }).click();
  await page.getByRole('button', { name: `State: ${state}`, exact: true }).waitFor();
}

test('screens are drawn answered, with what is missing, disabled and loading, and nothing of the flow changes', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit?screen=scr_goal`);
  await canvas().getByText('What brings you here?').waitFor();
  const goal = canvas().locator('[data-place="scr_goal"]');
  const chosen = goal.locator('[aria-checked="true"]');
  expect(await chosen.count()).toBe(0);
  await menu().click();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await choose('Answered');
  await expect.poll(() => chosen.count()).toBe(1);
  await choose('Loading');
  const welcome = canvas().locator('[data-place="scr_welcome"]');
  await expect.poll(() => welcome.locator('[aria-busy="true"]').count()).toBe(1);
  await choose('As it opens');
  await expect.poll(() => chosen.count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(true);
});
