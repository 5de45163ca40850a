import papa from 'papaparse';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Effort } from './effort';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

type Draft = { locales: string[]; screens: object[] };

async function draftOf(flow: string): Promise<Draft> {
  const answer = await server.ask<{ flow: { draft: Draft } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  return answer.flow.draft;
}

const saved = (at: Page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const mode = (name: string) => page.getByRole('radiogroup', { name: 'Mode' }).getByText(name, { exact: true });
const region = () => page.getByRole('region', { name: 'Translate', exact: true });
const dialog = () => page.getByRole('dialog', { name: 'Import translations' });
const words = (name: RegExp) => region().getByRole('textbox', { name }).first();

/** Puts a text on the clipboard, as another program does. */
const clip = (text: string) => page.evaluate((text) => navigator.clipboard.writeText(text), text);

test('a flow of ten screens and more is translated by a CSV that is copied and pasted', async () => {
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.baseUrl });
  const flow = await flowCalled('Welcome');
  const before = await draftOf(flow);
  expect(before.screens.length).toBeGreaterThanOrEqual(10);
  await open(`flows/${flow}/edit`);
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  const effort = new Effort(page);
  await effort.click(mode('Translate'));
  await effort.click(region().getByRole('button', { name: 'Copy as CSV' }));
  await region().getByRole('button', { name: 'Copied' }).waitFor();
  const copied = papa.parse<string[]>(await page.evaluate(() => navigator.clipboard.readText()), {
    skipEmptyLines: true,
  }).data;
  expect(copied[0]).toEqual(['Key', 'Screen', 'Layer', 'en', 'de', 'ar']);
  expect(copied.length).toBeGreaterThan(100);
  const translated = copied.map((row, at) => [...row, at === 0 ? 'French' : `${row[3]} (fr)`]);
  await clip(papa.unparse(translated, { delimiter: '\t' }));
  await effort.key('ControlOrMeta+v');
  await effort.click(dialog().getByRole('checkbox', { name: /^Add French/ }));
  await dialog()
    .getByText(`French: ${copied.length - 1} new`)
    .waitFor();
  await effort.click(dialog().getByRole('button', { name: `Apply ${copied.length - 1} changes` }));
  await words(/^Plants that outlive.*, French$/).waitFor();
  await saved(page);
  effort.took(`translate the texts of ${before.screens.length} screens by pasting a CSV`, 6);
  const after = await draftOf(flow);
  expect(after.locales).toEqual(['en', 'de', 'ar', 'fr']);
  expect(JSON.stringify(after).match(/ \(fr\)"/g)).toHaveLength(copied.length - 1);

  await page.getByRole('button', { name: `Undo: Translate ${copied.length - 1} texts` }).click();
  await words(/^Plants that outlive.*, French$/).waitFor({ state: 'detached' });
  await saved(page);
  const undone = await draftOf(flow);
  expect({ ...undone, version: 0 }).toEqual({ ...before, version: 0 });
});

test('before anything changes a file is shown: what is new, what is left out, and why', async () => {
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/edit?mode=translate`);
  await region().getByRole('button', { name: 'Import CSV' }).click();
  await dialog().getByRole('textbox', { name: 'Rows' }).fill('Key;Notiz\nx;y');
  await dialog()
    .getByText(/names no language to translate into/)
    .waitFor();
  await dialog()
    .getByRole('textbox', { name: 'Rows' })
    .fill('Key;en;German;es;Note\nlyr_ask_title.text;They can’t call you.;Neu;;x\nlyr_none.text;No;Nein;;\n');
  await dialog().getByText('1 row names no text of the flow').waitFor();
  await dialog().getByText('Row 3: lyr_none.text').waitFor();
  await dialog()
    .getByText(/^Row 2, .*“They can’t call you\.” is “They can’t call you\. We can\.” by now$/)
    .waitFor();
  expect(await dialog().getByRole('button', { name: 'Nothing to change' }).isDisabled()).toBe(true);
  await dialog()
    .getByRole('checkbox', { name: /^Take their translations/ })
    .click();
  await dialog().getByRole('cell', { name: 'Neu', exact: true }).waitFor();
  await settled(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  await dialog().getByRole('button', { name: 'Apply 1 change' }).click();
  await expect.poll(() => words(/^They can’t call you.*, German$/).inputValue()).toBe('Neu');
  await page.getByRole('button', { name: 'Undo: Translate 1 text' }).click();
  await saved(page);
});

test('texts are found, written in their language, and lead to their layers', async () => {
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/edit`);
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  await page.keyboard.press('3');
  await region().getByRole('textbox', { name: 'Search texts' }).fill('can’t call');
  const german = words(/^They can’t call you.*, German$/);
  const was = await german.inputValue();
  await german.fill('Anders');
  await saved(page);
  expect(JSON.stringify(await draftOf(flow))).toContain('"Anders"');
  await region().getByRole('textbox', { name: 'Search texts' }).focus();
  await page.getByRole('button', { name: /^Undo: / }).click();
  await expect.poll(() => german.inputValue()).toBe(was);
  expect(await violations(page)).toEqual([]);
  await region()
    .getByRole('button', { name: /^They can’t call you/ })
    .click();
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  expect(new URL(page.url()).searchParams.get('layer')).toBe('lyr_ask_title');
  await saved(page);
});

test('who may not edit reads the texts and takes them along', async () => {
  const { page: at } = await somebody(visitor, 'VIEWER');
  await at.goto(addressOf(`flows/${await flowCalled('Reminders')}/edit?mode=translate`));
  const shown = at.getByRole('region', { name: 'Translate', exact: true });
  await shown.getByRole('button', { name: 'Copy as CSV' }).waitFor();
  expect(await shown.getByRole('button', { name: 'Import CSV' }).count()).toBe(0);
  expect(
    await shown
      .getByRole('textbox', { name: /German$/ })
      .first()
      .isEditable(),
  ).toBe(false);
});
