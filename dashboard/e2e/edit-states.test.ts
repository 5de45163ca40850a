import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
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

test('a button is shown pressed, focused, disabled and loading, an option chosen, until something else is selected', async () => {
  const flow = await flowCalled('Welcome');
  const draft = () => server.ask('query ($id: ID!) { flow(id: $id) { draft } }', { id: flow });
  const before = await draft();
  await open(`flows/${flow}/edit?screen=scr_symptoms`);
  const screen = canvas().locator('[data-place="scr_symptoms"]');
  await screen.getByText('Continue').waitFor();
  const layer = (words: string) => page.getByRole('treeitem', { name: new RegExp(`^${words},`) }).first();
  const side = page.getByRole('complementary', { name: 'Properties' });
  const shown = side.getByRole('group', { name: 'Shown on the canvas as' });
  const select = async (words: string) => {
    await layer(words).click();
    const section = side.locator('details', { hasText: /^States/ });
    if ((await section.getAttribute('open')) === null) await section.locator('summary').click();
  };
  await select('Continue');
  const button = screen.locator('button', { hasText: 'Continue' });
  const look = (property: string) =>
    button.evaluate((one, name) => getComputedStyle(one).getPropertyValue(name), property);
  const toggle = (state: string) => shown.getByRole('button', { name: state, exact: true }).click();
  expect([await look('scale'), await look('outline-style')]).toEqual(['none', 'none']);
  await toggle('Pressed');
  await expect.poll(() => look('scale')).toBe('0.97');
  expect(await look('filter')).toBe('opacity(0.85)');
  await toggle('Focused');
  await expect.poll(() => look('outline-style')).toBe('solid');
  await expect.poll(() => look('scale')).toBe('none');
  await toggle('Disabled');
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  expect(await look('outline-style')).toBe('none');
  await toggle('Loading');
  await expect.poll(() => screen.locator('[aria-busy="true"]').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await select('Spots');
  await expect.poll(() => screen.locator('[aria-busy="true"]').count()).toBe(0);
  const chosen = screen.locator('[aria-checked="true"]');
  expect(await chosen.count()).toBe(0);
  await toggle('Chosen');
  await expect.poll(() => chosen.allInnerTexts()).toEqual(['Spots']);
  await toggle('Chosen');
  await expect.poll(() => chosen.count()).toBe(0);
  expect(await draft()).toEqual(before);
  expect(await page.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(true);
});
