import { expect, test } from 'vitest';
import { open, page, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const cards = () => page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents();
const usual = ['Visitors', 'Sources', 'Pages', 'Locations', 'Devices', 'Events'];

test('home shows the cards that a member chose, in their order, wherever they sign in', async () => {
  await open('home');
  await expect.poll(cards).toEqual(usual);
  await page.getByRole('button', { name: 'Arrange home' }).click();
  const form = page.getByRole('dialog', { name: 'Arrange home' });
  await form.getByRole('checkbox', { name: 'Devices' }).uncheck();
  for (const name of ['Goals', 'Flows', 'Experiments', 'Net revenue'])
    await form.getByRole('checkbox', { name }).check();
  expect(await violations(page)).toEqual([]);

  // By keyboard: the button keeps the focus, and what it did is said.
  const up = form.getByRole('button', { name: 'Move Goals up' });
  await up.focus();
  for (let i = 6; i > 0; i--) await page.keyboard.press('Enter');
  expect(await up.evaluate((button) => button === document.activeElement)).toBe(true);
  await form.getByText('Goals: 1 of 10').waitFor({ state: 'attached' });
  const down = form.getByRole('button', { name: 'Move Metrics down' });
  await down.focus();
  await page.keyboard.press('Enter');
  expect(await down.evaluate((button) => button === document.activeElement)).toBe(true);

  // By pointer: the last row to the top.
  const grips = form.locator('li > span:first-child');
  const [first, last] = [(await grips.first().boundingBox())!, (await grips.last().boundingBox())!];
  await page.mouse.move(last.x + 10, last.y + 20);
  await page.mouse.down();
  await page.mouse.move(first.x + 10, first.y + 10, { steps: 12 });
  await page.mouse.up();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  const chosen = [
    'Net revenue',
    'Goals',
    'Sources',
    'Visitors',
    'Pages',
    'Locations',
    'Events',
    'Flows',
    'Experiments',
  ];
  await expect.poll(cards).toEqual(chosen);
  await page.getByRole('link', { name: 'First plant' }).waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);

  await page.reload();
  await expect.poll(cards).toEqual(chosen);
  await page.getByRole('button', { name: 'Arrange home' }).click();
  expect(await form.getByRole('checkbox', { name: 'Devices' }).isChecked()).toBe(false);
  await form.getByRole('button', { name: 'Reset to default' }).click();
  await form.waitFor({ state: 'detached' });
  await expect.poll(cards).toEqual(usual);
});
