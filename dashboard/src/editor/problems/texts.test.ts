import { expect, test } from 'vitest';
import vectors from '../../../../sdk/vectors/translations.json';
import { open } from '../document/document';
import { Editor } from '../document/editor';
import type { JsonObject, Step } from '../document/operation';
import type { Misfit } from '../misfits';
import { misfitProblems, missingProblems } from './texts';

const words = (id: string, text: string, translations?: Record<string, string>): JsonObject => ({
  id,
  kind: 'text',
  text: { default: text, ...(translations && { translations }) },
});
const screen = (id: string, name: string, ...children: JsonObject[]): JsonObject => ({
  id: `scr_${id}`,
  name,
  regions: { body: { id: `lyr_${id}`, kind: 'stack', children } },
});
const flow = (locales: string[], ...screens: JsonObject[]) => ({ defaultLocale: 'en', locales, screens });

const brief = (draft: JsonObject) =>
  missingProblems(open(draft)).map(({ message, stepId, layerId, seen }) => [message, stepId, layerId, seen?.locale]);

test('texts that a language lacks are told by screen, a single one by its name', () => {
  const draft = flow(
    ['en', 'de', 'fr'],
    screen('1', 'Goal', words('lyr_a', 'Hello', { de: 'Hallo' }), words('lyr_b', 'Continue')),
    screen('2', 'Age', words('lyr_c', 'How old?', { de: '' }), words('lyr_d', 'Next', { de: '' }), words('lyr_e', '')),
    screen('3', 'End', words('lyr_f', 'Bye', { de: 'Ade' })),
  );
  expect(brief(draft)).toEqual([
    ['“Continue” on “Goal” is not translated into German.', 'scr_1', 'lyr_b', 'de'],
    ['2 texts on “Age” are not translated into German.', 'scr_2', '', 'de'],
    ['No text of the flow is translated into French: 5 are missing.', '', '', 'fr'],
  ]);
});

test.each(vectors.cases)('the server tells the same: $name', ({ flow, problems }) => {
  const told = missingProblems(open(flow as unknown as JsonObject)).map(({ message, stepId, layerId }) => ({
    message,
    stepId,
    layerId,
  }));
  const sorted = (list: typeof told) => list.map((one) => JSON.stringify(one)).sort();
  expect(sorted(told)).toEqual(sorted(problems));
});

test('filling from the default makes them as those of the default language, and nothing is missing then', () => {
  const editor = Editor.open(
    flow(['en', 'de'], screen('1', 'Goal', words('lyr_a', 'Hello'), words('lyr_b', 'Bye', { de: 'Ade' }))),
  );
  const fix = missingProblems(editor.document)[0]!.fix as Step;
  expect(fix.name).toBe('Fill from English');
  expect(editor.runAll(fix.name, fix.operations)).toBe(true);
  expect(editor.object('lyr_a')!.text).toEqual({ default: 'Hello', translations: { de: 'Hello' } });
  expect(editor.object('lyr_b')!.text).toEqual({ default: 'Bye', translations: { de: 'Ade' } });
  expect(missingProblems(editor.document)).toEqual([]);
});

test('a text that does not fit is told with its language, where there are several, and what it is seen on', () => {
  const misfit = (is: Misfit['is'], device: string, detail = ''): Misfit => ({
    is,
    screen: 'scr_1',
    layer: 'lyr_a',
    text: 'lyr_a.text',
    path: ['text'],
    locale: 'de',
    device,
    detail,
  });
  const misfits = [
    misfit('cut', 'phone'),
    misfit('outside', 'tablet'),
    misfit('broken', 'phone', 'Weiter|bildung'),
    misfit('lines', 'desktop', '4'),
    { ...misfit('cut', 'phone'), layer: 'lyr_gone' },
  ];
  const say = (locales: string[]) =>
    misfitProblems(open(flow(locales, screen('1', 'Goal', words('lyr_a', 'Continue')))), misfits);
  expect(say(['en', 'de']).map(({ message }) => message)).toEqual([
    '“Continue” on “Goal” is cut off in German.',
    '“Continue” on “Goal” runs out of its box in German on a tablet.',
    'A word of “Continue” on “Goal” is broken in German: “Weiter|bildung”.',
    '“Continue” on “Goal” takes 4 lines in its button in German on a wide screen.',
  ]);
  expect(say(['en'])[0]).toMatchObject({
    message: '“Continue” on “Goal” is cut off.',
    severity: 'WARNING',
    layerId: 'lyr_a',
    seen: { mode: 'design', locale: 'de', device: 'phone' },
  });
});
