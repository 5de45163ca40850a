import { expect, test } from 'vitest';
import { open, page, suite } from './suite';

suite();

const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(name) });

test('a goal is added from a suggestion, changed and deleted', async () => {
  await open('goals');
  await rowOf('First plant').waitFor();
  await page.getByRole('button', { name: 'Add goal' }).click();
  const form = page.getByRole('dialog', { name: 'Add goal' });
  await form.getByRole('button', { name: 'plant_watered' }).click();
  expect(await form.getByLabel('Event is').inputValue()).toBe('plant_watered');
  await form.getByRole('textbox', { name: 'Name' }).fill('Watered');
  await form.getByRole('button', { name: 'Add goal' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Watered', exact: true }).click();
  await page.getByText('Event is plant_watered').waitFor();
  await page.getByRole('heading', { name: 'Watered by channel' }).waitFor();
  await page.getByRole('button', { name: 'Edit goal' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit goal' });
  await edit.getByText('Page', { exact: true }).click();
  await edit.getByLabel('Page is').fill('/app**');
  await edit.getByRole('textbox', { name: 'Name' }).fill('In the app');
  await edit.getByRole('button', { name: 'Save goal' }).click();
  await page.getByText('Page is /app**').waitFor();
  await page.getByRole('button', { name: 'Edit goal' }).click();
  await edit.getByRole('button', { name: 'Delete…' }).click();
  await edit.getByRole('button', { name: 'Delete for all members' }).click();
  await rowOf('In the app').waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).searchParams.has('goal')).toBe(false);
});

test('the converters of a goal are a segment that counts as many', async () => {
  await open('goals?range=28d&zone=UTC');
  await page.getByRole('button', { name: 'First plant', exact: true }).click();
  const cells = await rowOf('First plant').getByRole('cell').allInnerTexts();
  const count = /^\d+/.exec(cells[0]!.trim())![0];
  await page.getByRole('button', { name: 'Save converters as segment…' }).click();
  const form = page.getByRole('dialog', { name: 'New segment' });
  await form.getByText('Users who met the goal “First plant” in the last 28 days.').waitFor();
  await expect.poll(() => form.getByRole('status').textContent()).toBe(`${count}users now`);
});

test('a step of a flow, and a country, have their names', async () => {
  await open('goals');
  await page.getByRole('button', { name: 'Add goal' }).click();
  const form = page.getByRole('dialog', { name: 'Add goal' });
  const choose = async (label: string, option: string) => {
    await form.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await form.getByText('Flow', { exact: true }).first().click();
  await choose('Flow', 'Welcome');
  await choose('Outcome', 'Step reached');
  await form.getByRole('combobox', { name: 'Step' }).click();
  const step = await page.getByRole('option').nth(1).innerText();
  await page.getByRole('option').nth(1).click();
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(`Welcome reached ${step}`);
  await form.getByRole('button', { name: 'Add goal' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Welcome reached ${step}`, exact: true }).click();
  await page.getByText(`Flow Welcome reached the step ${step}`).waitFor();
  await page.getByRole('combobox', { name: 'Break down by' }).click();
  await page.getByRole('option', { name: 'Country' }).click();
  await rowOf('Germany').waitFor();
});

test('what the server refuses is said in the form', async () => {
  await open('goals');
  await page.getByRole('button', { name: 'Add goal' }).click();
  const form = page.getByRole('dialog', { name: 'Add goal' });
  await form.getByLabel('Event is').fill('anything');
  await form.getByRole('textbox', { name: 'Name' }).fill('First plant');
  await form.getByRole('button', { name: 'Add goal' }).click();
  await form.getByText(/is that of another goal/).waitFor();
});
