import { expect, test } from 'vitest';
import { flowCalled, open, page, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const palette = () => page.getByRole('combobox', { name: 'Search commands and screens' });
const canvas = () => page.getByRole('application', { name: 'Canvas' });
const row = (name: RegExp) => page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem', { name }).first();
const words = () => page.locator('[role=treeitem][aria-selected=true]').allTextContents();
const undoes = (name: RegExp | string) => page.getByRole('button', { name, exact: true }).waitFor();
const zoom = () => page.getByRole('button', { name: 'Zoom', exact: true }).textContent();
const mode = () => new URL(page.url()).searchParams.get('mode');
const title = /^Plants that outlive/;

/** Selects the headline of the first screen. */
async function headline(): Promise<void> {
  await page
    .getByRole('link', { name: /^Welcome/ })
    .first()
    .click();
  await row(title).click();
  await canvas().focus();
}

const drawn = () => page.frameLocator('iframe[title="Screens of the flow"]').locator('.board').getByText(title).first();

/** Which of the layers is selected: two may have the same words. */
const selectedAt = () =>
  page
    .getByRole('treeitem')
    .evaluateAll((rows) => rows.findIndex((one) => one.getAttribute('aria-selected') === 'true'));

/** Selects the headline on the canvas. */
async function pointAtHeadline(): Promise<void> {
  await headline();
  const { x, y } = (await drawn().boundingBox())!;
  await page.mouse.click(x + 20, y + 20);
}

/** What every key of the list does, by its name there. */
const does: Record<string, (key: string) => Promise<void>> = {
  Search: async (key) => {
    await page.keyboard.press(key);
    await palette().waitFor();
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
  },
  'Find and replace text': async (key) => {
    await page.keyboard.press(key);
    await dialog('Find and replace').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Find and replace').waitFor({ state: 'detached' });
  },
  'Keyboard shortcuts': async (key) => {
    await page.keyboard.press(key);
    await dialog('Keyboard shortcuts').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Keyboard shortcuts').waitFor({ state: 'detached' });
  },
  Duplicate: async (key) => {
    await headline();
    await page.keyboard.press(key);
    await undoes(/^Undo: Duplicate/);
  },
  Undo: async (key) => {
    await page.keyboard.press(key);
    await undoes(/^Redo: Duplicate/);
  },
  Redo: async (key) => {
    await page.keyboard.press(key);
    await undoes(/^Undo: Duplicate/);
  },
  Preview: async (key) => {
    await page.keyboard.press(key);
    await dialog('Preview').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Preview').waitFor({ state: 'detached' });
  },
  Graph: async (key) => {
    await page.keyboard.press(key);
    await expect.poll(mode).toBe('graph');
  },
  Translate: async (key) => {
    await page.keyboard.press(key);
    await expect.poll(mode).toBe('translate');
  },
  Data: async (key) => {
    await page.keyboard.press(key);
    await expect.poll(mode).toBe('data');
  },
  Design: async (key) => {
    await page.keyboard.press(key);
    await canvas().waitFor();
    expect(mode()).toBe(null);
  },
  'Zoom to 100 %': async (key) => {
    await page.keyboard.press(key);
    await expect.poll(zoom).toBe('100 %');
  },
  'Zoom to all screens': async (key) => {
    await page.keyboard.press(key);
    await expect.poll(zoom).not.toBe('100 %');
  },
  'Zoom to the selection': async (key) => {
    const all = await zoom();
    await page.keyboard.press(key);
    await expect.poll(zoom).not.toBe(all);
  },
  'Play or stop the animations': async (key) => {
    await page.locator('[data-screen="scr_plan"]').click();
    await canvas().focus();
    await page.keyboard.press(key);
    const moment = canvas().getByText(/ · \d+ ms$/);
    await moment.waitFor();
    await page.keyboard.press(key);
    const ms = await moment.textContent();
    await page.waitForTimeout(100);
    expect(await moment.textContent()).toBe(ms);
    await page.keyboard.press('Escape');
    await moment.waitFor({ state: 'detached' });
  },
  'Select what is inside, or write its text': async (key) => {
    await headline();
    await page.keyboard.press(key);
    await page.getByRole('textbox', { name: 'Text', exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
  },
  'Select what is around': async (key) => {
    await headline();
    const before = await words();
    await page.keyboard.press(key);
    await expect.poll(words).not.toEqual(before);
  },
  Rename: async (key) => {
    await headline();
    await page.keyboard.press(key);
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
  },
  'Wrap in a stack': async (key) => {
    await headline();
    await page.keyboard.press(key);
    await undoes(/^Undo: Wrap/);
  },
  Unwrap: async (key) => {
    await page.keyboard.press(key);
    await undoes(/^Undo: Unwrap/);
  },
  'Save as component': async (key) => {
    await headline();
    await page.keyboard.press(key);
    await dialog('Save as component').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Save as component').waitFor({ state: 'detached' });
  },
  'Move down': async (key) => {
    await headline();
    await page.keyboard.press(key);
    await undoes(/^Undo: Move/);
    await page.keyboard.press('ControlOrMeta+z');
  },
  'Move up': async (key) => {
    await headline();
    await page.keyboard.press('ArrowDown');
    await undoes(/^Undo: Move/);
    await page.keyboard.press(key);
    await expect.poll(() => page.getByRole('button', { name: /^Undo: / }).getAttribute('aria-label')).toMatch(/Move/);
  },
  'Show or hide screens and layers': async (key) => {
    const tree = page.getByRole('tree', { name: 'Layers' });
    await page.keyboard.press(key);
    await tree.waitFor({ state: 'detached' });
    await page.keyboard.press(key);
    await tree.waitFor();
  },
  'Hide in the editor, or show': async (key) => {
    await headline();
    await page.keyboard.press(key);
    await row(/^Plants that outlive.*, hidden in the editor/).waitFor();
    await drawn().waitFor({ state: 'hidden' });
    await page.keyboard.press(key);
    await drawn().waitFor();
  },
  Distribute: async (key) => {
    await headline();
    await page.keyboard.press(key);
    await undoes(/^Undo: Distribute/);
  },
  'Lock or unlock': async (key) => {
    await headline();
    await page.keyboard.press(key);
    await row(/^Plants that outlive.*, locked/).waitFor();
    await page.keyboard.press('Backspace');
    await page.getByText(/is locked\. Unlock it to move or remove it/).waitFor();
    await page.keyboard.press(key);
    await row(/^Plants that outlive.*, locked/).waitFor({ state: 'detached' });
  },
  'Select the next layer, on the canvas': async (key) => {
    await pointAtHeadline();
    const before = await selectedAt();
    await page.keyboard.press(key);
    await expect.poll(selectedAt).not.toEqual(before);
  },
  'Select the layer before, on the canvas': async (key) => {
    await pointAtHeadline();
    const before = await selectedAt();
    await page.keyboard.press(key);
    await expect.poll(selectedAt).not.toEqual(before);
  },
  'Pan while it is held, on the canvas': async (key) => {
    await canvas().focus();
    const before = (await drawn().boundingBox())!;
    await page.keyboard.down(key);
    await page.mouse.move(before.x + 20, before.y + 20);
    await page.mouse.down();
    await page.mouse.move(before.x + 60, before.y + 50, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up(key);
    await expect.poll(async () => Math.round((await drawn().boundingBox())!.x - before.x)).toBe(40);
  },
  'Measure distances while it is held, on the canvas': async (key) => {
    await pointAtHeadline();
    await page.keyboard.down(key);
    await page.mouse.move(700, 500);
    await page.locator('[data-measuring]').waitFor();
    await page.keyboard.up(key);
    await page.locator('[data-measuring]').waitFor({ state: 'detached' });
  },
  Copy: async (key) => {
    await headline();
    await page.keyboard.press(key);
  },
  Paste: async (key) => {
    await page.keyboard.press(key);
    await undoes(/^Undo: Paste/);
  },
  'Paste style': async (key) => {
    await page.keyboard.press(key);
    await expect.poll(() => page.getByText(/style/i).count()).toBeGreaterThan(0);
  },
  Cut: async (key) => {
    await headline();
    await page.keyboard.press(key);
    await undoes(/^Undo: Cut/);
  },
  Remove: async (key) => {
    await page.keyboard.press('ControlOrMeta+z');
    await headline();
    await page.keyboard.press(key);
    await undoes(/^Undo: Remove/);
  },
  Publish: async (key) => {
    await page.keyboard.press(key);
    await page.waitForURL(/\/versions\?/);
  },
};

/** A key as it is written, as Playwright presses it. */
function pressed(written: string): string {
  if (written === '⌥') return 'Alt';
  const signs: Record<string, string> = {
    '↵': 'Enter',
    Esc: 'Escape',
    '⌫': 'Backspace',
    '↑': 'ArrowUp',
    '↓': 'ArrowDown',
  };
  const [, modifiers = '', key = ''] = /^([⇧⌥⌘]*)(.+)$/.exec(written)!;
  const held = [...modifiers].map((sign) => ({ '⇧': 'Shift', '⌥': 'Alt', '⌘': 'ControlOrMeta' })[sign]);
  return [...held, signs[key] ?? (held.length > 0 && key.length === 1 ? key.toLowerCase() : key)].join('+');
}

test('every key of the list of keys does what it says', { timeout: 240_000 }, async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await row(title).waitFor();
  await settled(page);
  await canvas().focus();
  await page.keyboard.press('?');
  await dialog('Keyboard shortcuts').waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  const names = await dialog('Keyboard shortcuts').locator('dt').allTextContents();
  const keys = await dialog('Keyboard shortcuts').locator('dd').allTextContents();
  const listed = new Map(names.map((name, at) => [name, pressed(keys[at]!)]));
  await page.keyboard.press('Escape');
  expect([...listed.keys()].sort()).toEqual(Object.keys(does).sort());
  for (const [name, act] of Object.entries(does)) {
    if (await canvas().count()) await canvas().focus();
    await act(listed.get(name)!).catch((error: Error) => {
      throw new Error(`${name} (${listed.get(name)}): ${error.message}`);
    });
  }
});

test('the palette runs commands that have no keys, and goes to screens', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await settled(page);
  const run = async (typed: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    await palette().fill(typed);
    await page.keyboard.press('Enter');
    await palette().waitFor({ state: 'detached' });
  };
  await run('your plan');
  await page.locator('[data-screen][aria-current]').getByText('Your plan').waitFor();
  await run('history');
  await dialog('History').waitFor();
  await page.keyboard.press('Escape');
  await dialog('History').waitFor({ state: 'detached' });
  // From inside of a field too.
  await page.getByRole('complementary', { name: 'Properties' }).getByLabel('Name', { exact: true }).focus();
  await run('graph');
  await expect.poll(mode).toBe('graph');
});

test('words are found in all languages, lead to their layer, and are replaced by others in one step', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await settled(page);
  await page.keyboard.press('ControlOrMeta+f');
  const found = dialog('Find and replace');
  await found.getByRole('textbox', { name: 'Find' }).fill('outlive');
  const first = found.getByRole('listitem').first();
  await first.getByText(/outlive/).waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await first.getByRole('button').click();
  await expect.poll(words).toEqual([expect.stringMatching(title)]);
  await found.getByRole('textbox', { name: 'Replace by' }).fill('outlast');
  await found.getByRole('button', { name: 'Replace all' }).click();
  await found.getByText('In no text').waitFor();
  await row(/^Plants that outlast/).waitFor();
  await page.keyboard.press('Escape');
  await found.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo: Replace “outlive” by “outlast”' }).click();
  await row(title).waitFor();
});
