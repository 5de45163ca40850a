import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

type Draft = {
  screens: { name: string; next: { default: string | null } }[];
  sdkAttributeKeys?: string[];
  decisionNodes?: { id: string; cases: object[]; elseNext: string | null }[];
};

/** The draft of a flow as the server has it. */
async function draftOf(flow: string): Promise<Draft> {
  const answer = await server.ask<{ flow: { draft: Draft } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  return answer.flow.draft;
}

const saved = (at: Page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const side = (): Locator => page.getByRole('complementary', { name: 'Properties' });
const row = (said: string | RegExp): Locator => side().getByRole('group', { name: said });
const undo = () => page.getByRole('button', { name: /^Undo: / }).click();

/** Opens a screen of the demo's onboarding where it is designed. */
async function openScreen(id: string): Promise<string> {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=${id}`);
  await side().getByRole('heading').waitFor();
  return flow;
}

test('a layer is shown when what people answered says so, and always again', async () => {
  const flow = await openScreen('scr_pets');
  const tree = page.getByRole('tree', { name: 'Layers' });
  await tree.getByRole('treeitem', { name: /^Who else lives.*, Text$/ }).click();
  await side().getByRole('button', { name: 'Show when…' }).click();
  // The last question before this screen is what it begins with.
  const first = row(/^Habit is /);
  await first.getByLabel('What').selectOption({ label: 'Goal' });
  const goal = row(/^Goal is /);
  await goal.getByLabel('How').selectOption({ label: 'is one of' });
  const options = goal.getByRole('group', { name: 'Values' }).getByRole('button');
  expect(await options.first().isDisabled()).toBe(true);
  await options.nth(1).click();
  await side().getByRole('button', { name: 'Condition', exact: true }).click();
  await side().getByLabel('All or any of these').selectOption({ label: 'or' });
  const last = side().getByRole('group').getByLabel('What').nth(1);
  await last.selectOption({ label: 'Platform' });
  await row(/^Platform is /)
    .getByLabel('Value')
    .selectOption({ label: 'Web' });
  await saved(page);
  // The canvas goes on showing it, though nobody has answered there.
  const drawn = page.frameLocator('iframe[title="Screens of the flow"]').getByText('Who else lives there?');
  await expect.poll(() => drawn.count()).toBe(1);
  const written = JSON.stringify(await draftOf(flow));
  expect(written).toMatch(/"op": ?"or"/);
  expect(written).toMatch(/"kind": ?"builtin", ?"name": ?"platform"|"name": ?"platform", ?"kind": ?"builtin"/);

  await side().getByRole('button', { name: 'Remove: Platform is Web' }).click();
  await goal.getByRole('button', { name: /^Remove: Goal is one of / }).click();
  await side().getByText('Always shown.').waitFor();
  expect(await tree.getByRole('treeitem', { name: /, Condition$/ }).count()).toBe(0);
  await undo();
  await goal.waitFor();
  for (let done = 0; done < 9; done++) await undo();
  await side().getByText('Always shown.').waitFor();
  await saved(page);
});

test('what follows a screen depends on a condition: when, or else when, otherwise', async () => {
  const flow = await openScreen('scr_habit');
  await side().getByRole('button', { name: 'Depends on a condition…' }).click();
  await side().getByLabel('Case 1 leads to').selectOption({ label: 'Name' });
  await side().getByRole('button', { name: 'Case', exact: true }).click();
  await side().getByLabel('Case 2 leads to').selectOption({ label: 'Reminder' });
  await side().getByRole('button', { name: 'Try case 2 earlier' }).click();
  await side().getByLabel('Otherwise leads to').selectOption({ label: 'End of the flow' });
  await saved(page);
  const { screens, decisionNodes } = await draftOf(flow);
  const next = screens.find(({ name }) => name === 'Watering')!.next.default;
  expect(decisionNodes!.find(({ id }) => id === next)).toMatchObject({
    cases: [{ next: 'scr_when' }, { next: 'scr_name' }],
    elseNext: '__onb_surface_no_next__',
  });
  for (let done = 0; done < 6; done++) await undo();
  await side().getByRole('button', { name: 'Depends on a condition…' }).waitFor();
  await saved(page);
});

test('a condition asks for an attribute that the flow did not know, and one undo takes back both', async () => {
  const flow = await openScreen('scr_habit');
  await side().getByRole('button', { name: 'Depends on a condition…' }).click();
  await row(/^Habit is /)
    .getByLabel('What')
    .selectOption({ label: 'Another attribute…' });
  await side().getByLabel('Name of the attribute').fill('loyalty_points');
  await page.keyboard.press('Enter');
  await row(/^Loyalty points is /)
    .getByLabel('How')
    .selectOption({ label: 'is at least' });
  const points = row(/^Loyalty points is at least /).getByLabel('Value');
  await points.fill('100');
  await points.press('Enter');
  await row('Loyalty points is at least 100').waitFor();
  await saved(page);
  expect((await draftOf(flow)).sdkAttributeKeys).toEqual(['loyalty_points']);
  for (let done = 0; done < 4; done++) await undo();
  await side().getByRole('button', { name: 'Depends on a condition…' }).waitFor();
  await saved(page);
  expect((await draftOf(flow)).sdkAttributeKeys ?? []).toEqual([]);
});

test('a nested condition is read and put together without JSON: groups, values that are typed, deeper groups', async () => {
  const flow = await openScreen('scr_habit');
  await side().getByRole('button', { name: 'Depends on a condition…' }).click();
  const add = side().getByRole('button', { name: 'Condition', exact: true });
  await add.click();
  await add.click();
  const what = side().getByLabel('What', { exact: true });
  await what.nth(1).selectOption({ label: 'Language' });
  const language = row(/^Language is/);
  await language.getByLabel('How').selectOption({ label: 'is one of' });
  for (const word of ['de', 'de-AT']) {
    await language.getByLabel('Add a value').fill(word);
    await page.keyboard.press('Enter');
  }
  await what.nth(2).selectOption({ label: 'Platform' });
  await side()
    .getByRole('button', { name: /^Group: Language is one of de, de-AT; Platform is iOS$/ })
    .click();
  await side().getByRole('button', { name: 'Group in the group', exact: true }).click();
  await side().getByRole('button', { name: 'Group in the group', exact: true }).nth(1).click();
  await saved(page);
  await settled(page);
  expect(await violations(page)).toEqual([]);
  const written = JSON.stringify((await draftOf(flow)).decisionNodes!.at(-1)!.cases[0]);
  expect(written).toContain('"optionIds":["de","de-AT"]');
  expect(written.match(/"kind":"group"/g)).toHaveLength(4);
  await side().getByRole('button', { name: 'Ungroup' }).last().click();
  await side().getByRole('button', { name: 'Ungroup' }).last().click();
  await expect.poll(() => side().getByRole('button', { name: 'Ungroup' }).count()).toBe(1);
  await language.getByRole('button', { name: 'de', exact: true }).click();
  await row('Language is one of de-AT').waitFor();
  await saved(page);
  for (let done = 0; done < 14; done++) await undo();
  await side().getByRole('button', { name: 'Depends on a condition…' }).waitFor();
  await saved(page);
});

test('a text shows an answer, and what else, as a sentence', async () => {
  const flow = await openScreen('scr_pets');
  const tree = page.getByRole('tree', { name: 'Layers' });
  await tree.getByRole('treeitem', { name: /^Who else lives.*, Text$/ }).click();
  const text = side().getByLabel('Text', { exact: true });
  const before = await text.inputValue();
  await text.click();
  await page.keyboard.press('ControlOrMeta+Home');
  await side().getByRole('button', { name: 'Answer', exact: true }).click();
  await side().getByLabel('Shows', { exact: true }).selectOption({ label: 'Goal' });
  await side().getByLabel('Else', { exact: true }).fill('you');
  await row('Goal, else you').waitFor();
  expect(await text.inputValue()).toBe(`{{ goal | default: "you" }}${before}`);
  await saved(page);
  expect(JSON.stringify(await draftOf(flow))).toContain(JSON.stringify(`{{ goal | default: "you" }}${before}`));
  await page.frameLocator('iframe[title="Screens of the flow"]').getByText(`you${before}`).waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await side().getByRole('button', { name: 'Remove: Goal, else you' }).click();
  expect(await text.inputValue()).toBe(before);
  for (let done = 0; done < 4; done++) await undo();
  await expect.poll(() => text.inputValue()).toBe(before);
  await saved(page);
});

test('an option of a question leads to a step of its own', async () => {
  await openScreen('scr_goal');
  await page
    .getByRole('tree', { name: 'Layers' })
    .getByRole('treeitem', { name: /, Single choice$/ })
    .click();
  const ways = side().getByRole('group', { name: 'Where options lead' }).getByRole('combobox');
  const before = await ways.first().inputValue();
  await ways.first().selectOption({ label: 'Ready' });
  await expect.poll(() => ways.first().inputValue()).toBe('scr_ready');
  await undo();
  await expect.poll(() => ways.first().inputValue()).toBe(before);
  await saved(page);
});

test('what a button does is a sentence: ask for a permission, go to a step, nothing that the screen lacks', async () => {
  const flow = await openScreen('scr_notify');
  await page
    .getByRole('tree', { name: 'Layers' })
    .getByRole('treeitem', { name: /^Yes, remind me, Button$/ })
    .click();
  const tapped = side().getByLabel('When tapped', { exact: true });
  await expect.poll(() => tapped.inputValue()).toBe('request_os_permission');
  await side().getByLabel('If denied').selectOption({ label: 'Ready' });
  await settled(page);
  expect(await violations(page)).toEqual([]);
  expect(await tapped.getByRole('option', { name: 'turn the page of (no carousel here)' }).isDisabled()).toBe(true);
  await tapped.selectOption({ label: 'go to' });
  await side().getByLabel('Step to go to', { exact: true }).selectOption({ label: 'Your plan' });
  await saved(page);
  const { screens } = await draftOf(flow);
  expect(JSON.stringify(screens.find(({ name }) => name === 'Reminders'))).toMatch(/"scr_result"/);
  for (let done = 0; done < 3; done++) await undo();
  await expect.poll(() => side().getByLabel('If denied').inputValue()).not.toBe('scr_ready');
  await saved(page);
});

test('conditions are free of barriers, and viewers can only read them', async () => {
  const flow = await flowCalled('Welcome');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openScreen('scr_notify');
    await row(/^Goal is one of /).waitFor();
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  const viewer = await somebody(visitor, 'VIEWER');
  await viewer.page.goto(addressOf(`flows/${flow}/edit?screen=scr_notify`));
  const condition = viewer.page.getByRole('group', { name: /^Goal is one of / });
  expect(await condition.getByLabel('What').isDisabled()).toBe(true);
  expect(await viewer.page.getByRole('button', { name: 'Case', exact: true }).count()).toBe(0);
});

test('an image is chosen from the library or uploaded, shown at once, and drawn', async () => {
  await openScreen('scr_pets');
  await page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem', { name: 'cat, Image' }).click();
  const picture = side().getByRole('button', { name: 'Media: replace' });
  const drawn = page.frameLocator('iframe[title="Screens of the flow"]').locator('img');
  const before = await picture.locator('img').getAttribute('src');
  await picture.click();
  const dialog = page.getByRole('dialog', { name: 'Choose an image' });
  await dialog.getByRole('listitem').first().waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel('Search by name').fill('no such name');
  await dialog.getByText(/^None is called so/).waitFor();
  const file = (name: string, words: string) => ({ name, mimeType: 'image/svg+xml', buffer: Buffer.from(words) });
  const choose = dialog.locator('input[type=file]');
  await choose.setInputFiles(file('clip.mp4', 'no picture'));
  await dialog.getByText(/^clip\.mp4 is none of png, jpg/).waitFor();
  await choose.setInputFiles(
    file('moon.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>'),
  );
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => picture.locator('img').getAttribute('src')).not.toBe(before);
  const src = await picture.locator('img').getAttribute('src');
  const sources = () => drawn.evaluateAll((all) => all.map((one) => one.getAttribute('src')));
  await expect.poll(sources).toContain(src);
  await saved(page);
  await undo();
  await expect.poll(() => picture.locator('img').getAttribute('src')).toBe(before);
  await saved(page);
});

test('a screen has a picture behind it, with what belongs to a picture', async () => {
  await openScreen('scr_pets');
  const background = side().getByLabel('Background', { exact: true });
  const before = await background.inputValue();
  await background.selectOption({ label: 'Image' });
  await side().getByRole('button', { name: 'Background media: choose an image' }).click();
  await page.getByRole('dialog', { name: 'Choose an image' }).getByRole('listitem').first().getByRole('button').click();
  await side().getByRole('button', { name: 'Background media: replace' }).locator('img').waitFor();
  await side().getByLabel('Background fit').selectOption({ label: 'Cover' });
  expect(await side().getByLabel('Background loop').count()).toBe(0);
  await saved(page);
  for (let done = 0; done < 3; done++) await undo();
  await expect.poll(() => background.inputValue()).toBe(before);
  await saved(page);
});
