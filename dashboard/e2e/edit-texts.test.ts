import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import papa from 'papaparse';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Effort } from './effort';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

const pictures = process.env.E2E_PICTURES;

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
  expect(copied[0]).toEqual(['Key', 'Screen', 'Layer', 'en', 'de', 'ar', 'Note', 'Exported']);
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
  await region().getByRole('button', { name: 'Import', exact: true }).click();
  await dialog().getByRole('textbox', { name: 'Rows' }).fill('Key;Notiz\nx;y');
  await dialog()
    .getByText(/names no language to translate into/)
    .waitFor();
  await dialog()
    .getByRole('textbox', { name: 'Rows' })
    .fill(
      'Key;en;German;es;Note\nlyr_ask_title.text;They can’t call you.;Neu;;Say it kindly\nlyr_none.text;No;Nein;;\n',
    );
  await dialog().getByText('1 row names no text of the flow').waitFor();
  await dialog().getByText('Row 3: lyr_none.text').waitFor();
  const conflicts = dialog().getByRole('region', { name: 'Conflicts' });
  await conflicts
    .getByText('Row 2: English was “They can’t call you.” and is “They can’t call you. We can.” by now')
    .waitFor();
  await dialog().getByText('1 note for translators').waitFor();
  await dialog().getByRole('button', { name: 'Apply 1 change' }).waitFor();
  if (pictures) await page.screenshot({ path: `${pictures}/conflicts.png` });
  await conflicts.getByText('Take file').click();
  await dialog().getByRole('cell', { name: 'Neu', exact: true }).waitFor();
  await settled(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  await dialog().getByRole('button', { name: 'Apply 2 changes' }).click();
  await expect.poll(() => words(/^They can’t call you.*, German$/).inputValue()).toBe('Neu');
  await expect.poll(() => words(/^Note on They can’t call you/).inputValue()).toBe('Say it kindly');
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

test('a text is shown where it stands, gets a note, and goes out and comes back as XLIFF', async () => {
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/edit?mode=translate`);
  const german = words(/^They can’t call you.*, German$/);
  const was = await german.inputValue();
  await german.focus();
  const context = region().getByRole('region', { name: 'Context' });
  const screen = context.frameLocator('iframe');
  await screen.getByText(was).first().waitFor();
  await expect
    .poll(() =>
      screen
        .locator('[data-layer="lyr_ask_title"]')
        .first()
        .evaluate(({ style }) => style.outlineWidth),
    )
    .toBe('5px');
  await region()
    .getByRole('button', { name: /^Add a note to They can’t call you/ })
    .click();
  await page.keyboard.type('Plants speak');
  await saved(page);
  await context.getByText('Plants speak').waitFor();
  expect(JSON.stringify(await draftOf(flow))).toContain('"notes":{"lyr_ask_title.text":"Plants speak"}');
  await settled(page);
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect([width, colorScheme, await violations(page)]).toEqual([width, colorScheme, []]);
    if (pictures) await page.screenshot({ path: `${pictures}/translate-${width}-${colorScheme}.png` });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  const arrives = page.waitForEvent('download');
  await region().getByRole('button', { name: 'Download XLIFF' }).click();
  const files = unzipSync(new Uint8Array(readFileSync((await (await arrives).path())!)));
  expect(Object.keys(files)).toContain('Reminders.de.xlf');
  const xliff = strFromU8(files['Reminders.de.xlf']!);
  expect(xliff).toContain('<note id="note" category="note">Plants speak</note>');
  await german.fill('Inzwischen anders');
  await saved(page);
  await region().getByRole('button', { name: 'Import', exact: true }).click();
  const escaped = was.replaceAll('&', '&amp;');
  expect(xliff).toContain(`<target>${escaped}</target>`);
  const segment = xliff.lastIndexOf('<segment state="translated"', xliff.indexOf(`<target>${escaped}</target>`));
  await page.locator('input[type=file]').setInputFiles({
    name: 'Reminders.de.xlf',
    mimeType: 'application/xliff+xml',
    buffer: Buffer.from(
      `${xliff.slice(0, segment)}<segment state="final"${xliff.slice(segment + '<segment state="translated"'.length)}`.replace(
        `<target>${escaped}</target>`,
        '<target>Von draußen</target>',
      ),
    ),
  });
  const conflicts = dialog().getByRole('region', { name: 'Conflicts' });
  await conflicts.getByText(/^Line \d+: the translation changed in the flow and in the file$/).waitFor();
  await conflicts.getByText('Inzwischen anders').waitFor();
  await conflicts.getByText('Take file').click();
  await dialog().getByRole('button', { name: 'Apply 1 change' }).click();
  await expect.poll(() => german.inputValue()).toBe('Von draußen');
  await region().getByText('Final', { exact: true }).waitFor();
  await saved(page);
  expect(JSON.stringify(await draftOf(flow))).toMatch(/"states":\{"lyr_ask_title\.text":\{"de":"final \w+"\}\}/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await page.getByRole('button', { name: 'Undo: Translate 1 text' }).click();
  await region().getByText('Final', { exact: true }).waitFor({ state: 'detached' });
  await german.fill(was);
  await saved(page);
});

test('who may not edit reads the texts and takes them along', async () => {
  const { page: at } = await somebody(visitor, 'VIEWER');
  await at.goto(addressOf(`flows/${await flowCalled('Reminders')}/edit?mode=translate`));
  const shown = at.getByRole('region', { name: 'Translate', exact: true });
  await shown.getByRole('button', { name: 'Copy as CSV' }).waitFor();
  expect(await shown.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
  expect(
    await shown
      .getByRole('textbox', { name: /German$/ })
      .first()
      .isEditable(),
  ).toBe(false);
});

test('rows that are higher than others do not make the table jump when it is scrolled up', async () => {
  await page.setViewportSize({ width: 760, height: 700 });
  await open(`flows/${await flowCalled('Welcome')}/edit?mode=translate`);
  const table = region().getByRole('region', { name: 'Texts' });
  await table.locator('tr[data-index]').first().waitFor();
  await table.evaluate((scroller) => scroller.scrollTo(0, 1e6));
  const total = Number(await table.getByRole('table').getAttribute('aria-rowcount'));
  await table.locator(`tr[aria-rowindex="${total}"]`).waitFor();
  const moved = await table.evaluate(async (scroller) => {
    const frame = () => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    const out: number[] = [];
    while (scroller.scrollTop > 150) {
      const { top, height } = scroller.getBoundingClientRect();
      const rows = [...scroller.querySelectorAll('tr[data-index]')];
      const row = rows.find((one) => one.getBoundingClientRect().bottom > top + height / 3)!;
      const before = row.getBoundingClientRect().top;
      scroller.scrollTop -= 150;
      await frame();
      await frame();
      out.push(Math.round(row.getBoundingClientRect().top - before));
    }
    return out;
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(moved.length).toBeGreaterThan(10);
  expect(moved.filter((by) => Math.abs(by - 150) > 1)).toEqual([]);
});
