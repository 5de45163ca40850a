import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const column = () => page.getByRole('complementary', { name: 'Screens and layers' });
const tree = () => page.getByRole('tree', { name: 'Layers' });
const row = (name: RegExp | string) => tree().getByRole('treeitem', { name }).first();
const edge = (name: string) => column().getByRole('separator', { name });
const search = () => column().getByRole('searchbox', { name: 'Search layers' });
const drawn = () =>
  page
    .frameLocator('iframe[title="Screens of the flow"]')
    .locator('.board')
    .getByText(/^Plants that/)
    .first();
const draftOf = async (id: string) =>
  (await server.ask<{ flow: { draft: object } }>('query ($id: ID!) { flow(id: $id) { draft } }', { id })).flow.draft;

async function enter(): Promise<string> {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_welcome`);
  await row(/^Plants that/).waitFor();
  return flow;
}

const clean = async (where: string) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    if (process.env.E2E_PICTURES)
      await page.screenshot({
        path: `${process.env.E2E_PICTURES}/left-${where.replaceAll(' ', '-')}-${colorScheme}.png`,
      });
    expect([where, await violations(page)]).toEqual([where, []]);
  }
};

test('the left column is as wide as it is dragged, folds, and is found again so', async () => {
  await enter();
  const width = async () => Math.round((await column().boundingBox())!.width);
  const before = await width();
  const box = (await edge('Width of the column').boundingBox())!;
  await page.mouse.move(box.x, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 90, box.y + 300, { steps: 5 });
  await page.mouse.up();
  expect(await width()).toBe(before + 90);
  await edge('Width of the column').focus();
  await page.keyboard.press('ArrowLeft');
  expect(await width()).toBe(before + 80);
  await edge('Height of the list of screens').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => edge('Height of the list of screens').getAttribute('aria-valuenow')).toBe('15');
  await clean('resized');
  await page.reload();
  await row(/^Plants that/).waitFor();
  expect(await width()).toBe(before + 80);
  expect(await edge('Height of the list of screens').getAttribute('aria-valuenow')).toBe('15');
  await column().getByRole('button', { name: 'Hide screens and layers' }).click();
  await tree().waitFor({ state: 'detached' });
  await clean('folded');
  await page.reload();
  await column().getByRole('button', { name: 'Show screens and layers' }).click();
  await row(/^Plants that/).waitFor();
});

test('a layer that is hidden or locked is so in this browser alone: the draft stays as it is', async () => {
  const flow = await enter();
  const was = await draftOf(flow);
  await row(/^Plants that/).hover();
  await row(/^Plants that/)
    .locator('[data-view=hidden]')
    .click();
  await drawn().waitFor({ state: 'hidden' });
  await row(/^Plants that.*, hidden in the editor/).waitFor();
  // The list of screens shows what ships.
  const listed = page.frameLocator('iframe[title="Pictures of the list"]').getByText(/^Plants that/);
  await listed.first().waitFor();
  await clean('hidden');
  await page.reload();
  await row(/^Plants that.*, hidden in the editor/).waitFor();
  await drawn().waitFor({ state: 'hidden' });
  await row(/^Plants that/).hover();
  await row(/^Plants that/)
    .locator('[data-view=hidden]')
    .click();
  await drawn().waitFor();

  await row(/^Plants that/).hover();
  await row(/^Plants that/)
    .locator('[data-view=locked]')
    .click();
  await row(/^Plants that.*, locked/).waitFor();
  // A click on it selects what it stands in.
  await row(/^Body/).click();
  const box = (await drawn().boundingBox())!;
  await page.keyboard.down('ControlOrMeta');
  await page.mouse.click(box.x + 20, box.y + 20);
  await page.keyboard.up('ControlOrMeta');
  await expect.poll(() => tree().locator('[aria-selected=true]').getAttribute('aria-label')).toMatch(/Stack/);
  await clean('locked');
  // Its words are still changed in the inspector; by keys it is neither moved nor removed.
  await row(/^Plants that.*, locked/).click();
  await page.getByRole('application', { name: 'Canvas' }).focus();
  await page.keyboard.press('Backspace');
  await page.getByText(/is locked\. Unlock it to move or remove it/).waitFor();
  expect(await draftOf(flow)).toEqual(was);
  expect(await page.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(true);
});

test('nothing is pasted into or added to a stack that is locked', async () => {
  const flow = await enter();
  const was = await draftOf(flow);
  await row(/^Plants that/).click();
  await page.keyboard.press('ControlOrMeta+c');
  await row(/^Body/).click();
  await page.keyboard.press('ControlOrMeta+Shift+l');
  await row(/^Body.*, locked/).waitFor();
  await page.keyboard.press('ControlOrMeta+v');
  await page.getByText(/^Stack is locked\. Unlock it to put something in/).waitFor();
  await column().getByText('Add', { exact: true }).click();
  await page.getByRole('option', { name: 'Text', exact: true }).click({ force: true });
  await page.getByText(/^Text can't be added here\. .* is locked\. Unlock it to put something in\.$/).waitFor();
  expect(await draftOf(flow)).toEqual(was);
  expect(await page.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(true);
});

test('layers are found by their names', async () => {
  await enter();
  const all = await tree().getByRole('treeitem').count();
  await search().fill('skip');
  await expect.poll(() => tree().getByRole('treeitem').count()).toBeLessThan(all);
  await row(/^Skip the/).waitFor();
  await clean('found');
  await search().press('Enter');
  await expect.poll(() => tree().locator('[aria-selected=true]').count()).toBe(1);
  await search().fill('nothing is called this');
  await page.getByText('No layer of this screen is called so.').waitFor();
  await search().press('Escape');
  await expect.poll(() => tree().getByRole('treeitem').count()).toBe(all);
});
