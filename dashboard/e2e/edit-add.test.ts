import { expect, test } from 'vitest';
import { flowCalled, open, page, suite } from './suite';
import { violations } from './visitor';

suite();

const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const rows = () => page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
const search = () => page.getByRole('combobox', { name: 'Search what to add' });
const option = (name: string) =>
  page.getByRole('listbox', { name: 'What can be added' }).getByRole('option', { name, exact: true });

/** Opens the draft of a flow with the panel beside it. */
async function openPanel(flow: string): Promise<number> {
  await open(`flows/${await flowCalled(flow)}/edit`);
  await rows().first().waitFor();
  const count = await rows().count();
  await page.getByText('Add', { exact: true }).click();
  await expect.poll(() => search().evaluate((field) => field === document.activeElement)).toBe(true);
  return count;
}
const showLayers = () => page.getByText('Layers', { exact: true }).first().click();

test('a layer is found by another word, and added by keys; the panel says where it goes and went', async () => {
  const before = await openPanel('Reminders');
  await page.keyboard.type('photo');
  await expect.poll(() => option('Image').getAttribute('aria-selected')).toBe('true');
  await page.getByText(/^Image goes in /).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(/^Added Image in /).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => option('Icon').getAttribute('aria-selected')).toBe('true');
  await page.keyboard.type('stepper value');
  await page.getByText(/^Stepper value: It is a part of Stepper/).waitFor();
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .getByText(/^Stepper value can't be added here/)
    .waitFor();
  await showLayers();
  await expect.poll(() => rows().count()).toBe(before + 1);
  await page.getByRole('button', { name: 'Undo: Add Image' }).click();
  await expect.poll(() => rows().count()).toBe(before);
  await saved();
});

test('a price card is one step, has no problem, and goes by one undo', async () => {
  const before = await openPanel('Reminders');
  await page.keyboard.type('paywall');
  await option('Price card').click();
  await page.getByText(/^Added Price card in /).waitFor();
  const canvas = page.frameLocator('iframe[title="Screens of the flow"]');
  await canvas.getByText('$39.99').waitFor();
  expect(await violations(page)).toEqual([]);
  await showLayers();
  await page.getByRole('treeitem', { name: 'Price card, Stack' }).waitFor();
  await saved();
  await page.getByRole('button', { name: 'Undo: Add Price card' }).click();
  await expect.poll(() => rows().count()).toBe(before);
  await saved();
});

test('a block is dragged onto the canvas and into the tree, which say where; Escape lets it be', async () => {
  const before = await openPanel('Reminders');
  await page.keyboard.type('testimonial');
  const target = page.frameLocator('iframe[title="Screens of the flow"]').getByText('At the time that you chose');
  await target.waitFor();
  const lift = async () => {
    const box = (await option('Testimonial').boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 40, box.y + 20, { steps: 2 });
  };
  const carry = async (to: { x: number; y: number; width: number; height: number }, share: number) =>
    page.mouse.move(to.x + to.width / 2, to.y + to.height * share, { steps: 4 });
  const where = () => page.getByText(/^in .*(below|above|after|before) /).first();

  await lift();
  await carry((await target.boundingBox())!, 0.6);
  await where().waitFor();
  await page.keyboard.press('Escape');
  await where().waitFor({ state: 'detached' });
  await page.mouse.up();
  expect(await page.getByRole('button', { name: 'Undo: Add Testimonial' }).count()).toBe(0);

  await lift();
  await carry((await target.boundingBox())!, 0.6);
  await where().waitFor();
  await page.mouse.up();
  await page.getByText(/^Added Testimonial in /).waitFor();
  await page.getByRole('button', { name: 'Undo: Add Testimonial' }).click();

  await lift();
  await carry((await page.getByText('Layers', { exact: true }).first().boundingBox())!, 0.5);
  await rows().first().waitFor();
  await carry((await rows().nth(1).boundingBox())!, 0.1);
  await where().waitFor();
  await page.mouse.up();
  await page.getByRole('treeitem', { name: 'Testimonial, Stack' }).waitFor();
  await page.getByRole('button', { name: 'Undo: Add Testimonial' }).click();
  await expect.poll(() => rows().count()).toBe(before);
  await saved();
});

test('what is dragged to where it can not be says why, there and once it is let go', async () => {
  await openPanel('Reminders');
  const lift = async (name: string) => {
    const box = (await option(name).boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 40, box.y + 20, { steps: 2 });
  };
  await page.keyboard.type('phone number');
  await option('Phone number').click();
  await page.getByText(/^Added Phone number /).waitFor();
  const asked = page.frameLocator('iframe[title="Screens of the flow"]').locator('input[type="tel"]').first();
  await asked.waitFor();
  const box = (await asked.boundingBox())!;
  await lift('Phone number');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  const why = page.getByText('This screen asks Phone number already, and a screen asks one question', { exact: true });
  await why.waitFor();
  await page.mouse.up();
  await page
    .getByRole('alert')
    .getByText(/^Phone number was not added. This screen asks Phone number already/)
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo: Add Phone number' }).click();
  expect(await page.getByRole('button', { name: 'Undo: Add Phone number' }).count()).toBe(0);
  await saved();
});
