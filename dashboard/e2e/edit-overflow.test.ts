import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

/** Where pictures of the pages go, for people to look at; nowhere unless it is said. */
const pictures = process.env.E2E_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

const counted = (words: RegExp) => page.getByRole('button', { name: words }).waitFor();
const panel = () => page.getByRole('dialog', { name: /^Problems: / });
const region = () => page.getByRole('region', { name: 'Translate', exact: true });
const canvas = () => page.frameLocator('iframe[title="Screens of the flow"]');

const words = (id: string, text: string, translations: Record<string, string>) => ({
  id,
  kind: 'text',
  text: { default: text, translations },
  style: { color: { light: '#111111', dark: '#eeeeee' }, fontSize: 17 },
});

/** A flow in English, German and Arabic: its button is as wide as the English words need. */
async function narrow(): Promise<string> {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($a: ID!) { createFlow(input: {appId: $a, name: "Narrow"}) { id } }',
    { a: server.apps[0]!.id },
  );
  const button = {
    id: 'lyr_go',
    name: 'Go on',
    kind: 'button',
    variant: 'secondary',
    children: [words('lyr_go_text', 'Continue', { de: 'Weiterbildungsangebote ansehen', ar: 'متابعة' })],
    action: { kind: 'continue' },
    style: { width: 140, height: 48 },
  };
  const screen = (id: string, name: string, children: object[], next: string | null) => ({
    id: `scr_${id}`,
    name,
    regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', gap: 16, children } },
    next: { default: next },
  });
  const title = words('lyr_title', 'Learn something new', { de: 'Lerne etwas Neues', ar: 'تعلم شيئا جديدا' });
  const end = words('lyr_end', 'See you', { de: 'Bis bald' });
  const m = {
    schemaVersion: 7,
    flowId: createFlow.id,
    version: 1,
    defaultLocale: 'en',
    locales: ['en', 'de', 'ar'],
    entryScreenId: 'scr_a',
    screens: [screen('a', 'Courses', [title, button], 'scr_b'), screen('b', 'End', [end], null)],
  };
  const save =
    'mutation ($f: ID!, $m: JSON!) { saveDraft(input: {flowId: $f, draft: $m, revision: 1}) { flow { id } } }';
  await server.ask(save, { f: createFlow.id, m });
  return createFlow.id;
}

test('a text that does not fit in a language is found, leads there, and is gone when it is shorter', async () => {
  await open(`flows/${await narrow()}/edit`);
  await counted(/^Problems: 2 warnings$/);
  await page.getByRole('button', { name: /^Problems: / }).click();
  const sentence = panel().getByRole('button', {
    name: 'Warning “Continue” on “Courses” is cut off in German.',
  });
  const missing = panel()
    .getByRole('listitem')
    .filter({ hasText: '“See you” on “End” is not translated into Arabic.' });
  await missing.waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  if (pictures) await page.screenshot({ path: `${pictures}/overflow-problems.png` });
  await sentence.click();
  await expect.poll(() => page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('German');
  await canvas().getByText('Weiterbildungsangebote ansehen').waitFor();
  expect(new URL(page.url()).searchParams.get('layer')).toBe('lyr_go_text');
  await page
    .getByRole('list', { name: 'Problems here' })
    .getByText(/is cut off in German/)
    .waitFor();

  // The table says it at the text.
  await page.keyboard.press('Escape');
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Translate', { exact: true }).click();
  const german = region().getByRole('textbox', { name: 'Continue, German' });
  await expect
    .poll(() => german.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby')!)?.textContent))
    .toBe('Cut off');
  expect(await region().getByRole('textbox', { name: 'Continue, Arabic' }).getAttribute('dir')).toBe('rtl');
  expect(await german.getAttribute('dir')).toBe('ltr');
  await settled(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
    if (pictures) await page.screenshot({ path: `${pictures}/overflow-translate-${colorScheme}.png` });
  }
  await german.fill('Weiter');
  await counted(/^Problems: 1 warning$/);
  expect(await german.getAttribute('aria-describedby')).toBeNull();

  // What is missing is filled from the default language.
  await page.getByRole('button', { name: /^Problems: / }).click();
  await missing.getByRole('button', { name: 'Fill from English' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => region().getByRole('textbox', { name: 'See you, Arabic' }).inputValue()).toBe('See you');
  await counted(/^Problems: none$/);
});

test('of a flow whose texts all fit nothing is said', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit?mode=translate`);
  // Measured in all its languages when a text that can't fit is found on the last screen that is looked at.
  await region().getByRole('textbox', { name: 'Search texts' }).fill('Bright, no direct sun');
  const german = region().getByRole('textbox', { name: 'Bright, no direct sun, German' });
  await german.fill('Donaudampfschifffahrtsgesellschaftskapitän '.trim().repeat(2));
  const said = () => region().getByText(/^(Cut off|Runs out of its box|A word is broken|\d lines)/);
  await expect.poll(() => said().count()).toBe(1);
  await region().getByRole('textbox', { name: 'Search texts' }).fill('');
  await counted(/^Problems: \d+ warnings$/);
  await page.getByRole('button', { name: /^Problems: / }).click();
  expect(
    await panel()
      .getByText(/(cut off|runs out of its box|is broken|in its button)/)
      .allInnerTexts(),
  ).toHaveLength(1);
});

test('a language that is written from right to left is drawn so', async () => {
  await open(`flows/${await narrow()}/edit`);
  const title = canvas().locator('[data-layer="lyr_title"]');
  await title.waitFor();
  expect(await title.evaluate((one) => getComputedStyle(one).direction)).toBe('ltr');
  await page.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'Arabic' }).click();
  await canvas().getByText('تعلم شيئا جديدا').waitFor();
  expect(await title.evaluate((one) => getComputedStyle(one).direction)).toBe('rtl');
  const button = canvas().locator('[data-layer="lyr_go"]');
  const right = await button.evaluate((one) => {
    const around = one.closest('[data-place]')!.getBoundingClientRect();
    return (around.right - one.getBoundingClientRect().right) / around.width;
  });
  expect(right).toBeLessThan(0.1);
  if (pictures) await page.screenshot({ path: `${pictures}/overflow-rtl.png` });
});
