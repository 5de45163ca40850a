import { type Document, nodeOf } from '../document/document';
import type { JsonObject, Operation } from '../document/operation';
import { eachText } from '../document/texts';
import { label } from '../document/words';
import { languageName, localesIn } from '../locales';
import type { Misfit } from '../misfits';
import { screensIn } from '../screens';
import { defaultLocaleOf, readText } from '../text';
import type { DraftProblem } from './queries';

const devices: Record<string, string> = { tablet: ' on a tablet', desktop: ' on a wide screen' };

/** Texts that do not fit, each in a sentence. */
export function misfitProblems(document: Document, misfits: readonly Misfit[]): DraftProblem[] {
  const many = localesIn(document.flow).length > 1;
  return misfits.flatMap((misfit): DraftProblem[] => {
    const { is, screen, layer, locale, device, path, text, detail } = misfit;
    if (!nodeOf(document, layer)) return [];
    const it = `${capital(label(document, layer))} on ${label(document, screen)}`;
    const where = `${many ? ` in ${languageName(locale)}` : ''}${devices[device] ?? ''}`;
    const words = sentences[is](it, where, detail);
    return [
      {
        severity: 'WARNING',
        code: `text.${is}`,
        message: words.message,
        hint: words.hint,
        stepId: screen,
        layerId: layer,
        property: [...path],
        pointer: `${text} ${locale}`,
        fix: null,
        seen: { mode: 'design', locale, device },
      },
    ];
  });
}

type Words = { message: string; hint: string };

const sentences: Record<Misfit['is'], (it: string, where: string, detail: string) => Words> = {
  cut: (it, where) => ({ message: `${it} is cut off${where}.`, hint: 'Shorten the text, or give it more room.' }),
  outside: (it, where) => ({
    message: `${it} runs out of its box${where}.`,
    hint: 'Shorten the text, or let its content decide how large the box is.',
  }),
  broken: (it, where, word) => ({
    message: `A word of ${low(it)} is broken${where}: “${word}”.`,
    hint: 'Choose a shorter word or smaller letters, or give it more room.',
  }),
  lines: (it, where, count) => ({
    message: `${it} takes ${count} lines in its button${where}.`,
    hint: 'Shorten the text.',
  }),
};

type Missing = { locale: string; operations: Operation[]; all: number; node: string };

/** What a screen lacks, by language; kept while the screen is the same. */
const known = new WeakMap<JsonObject, { of: string; missing: readonly Missing[] }>();

/** Languages that texts are missing in, by screen; of a language that has no text at all yet once. */
export function missingProblems(document: Document): DraftProblem[] {
  const { flow } = document;
  const screens = screensIn(flow).map((screen) => ({ screen, missing: missingIn(screen, flow) }));
  const source = languageName(defaultLocaleOf(flow));
  const out: DraftProblem[] = [];
  for (const { value: locale } of localesIn(flow).slice(1)) {
    const lacking = screens.flatMap(({ screen, missing }) => {
      const one = missing.find((other) => other.locale === locale);
      return one && one.operations.length > 0 ? [{ id: String(screen.id), ...one }] : [];
    });
    const texts = lacking.reduce((sum, { operations }) => sum + operations.length, 0);
    const language = languageName(locale);
    const problem = (stepId: string, node: string, message: string, operations: Operation[]): DraftProblem => ({
      severity: 'WARNING',
      code: 'text.untranslated',
      message,
      hint: `Users whose language is ${language} see ${source}.`,
      stepId,
      layerId: node,
      property: [],
      pointer: locale,
      fix: { name: `Fill from ${source}`, operations },
      seen: { mode: 'translate', locale },
    });
    const all = screens.reduce((sum, { missing }) => sum + (missing.find((one) => one.locale === locale)?.all ?? 0), 0);
    if (texts === all && lacking.length > 1) {
      const operations = lacking.flatMap((one) => one.operations);
      out.push(
        problem('', '', `No text of the flow is translated into ${language}: ${texts} are missing.`, operations),
      );
      continue;
    }
    for (const { id, operations, node } of lacking) {
      const on = label(document, id);
      const one = operations.length === 1;
      const what = one ? `${capital(label(document, node))} on ${on} is` : `${operations.length} texts on ${on} are`;
      out.push(problem(id, one ? node : '', `${what} not translated into ${language}.`, operations));
    }
  }
  return out;
}

/** A template but for the default that it shows: texts of nothing else, of numbers and pictures need no translation. */
const placeholder = /\{\{[^|}]*(\|\s*default\s*:)?/gi;

function missingIn(screen: JsonObject, flow: JsonObject): readonly Missing[] {
  const [source, ...locales] = localesIn(flow).map(({ value }) => value);
  const of = [source, ...locales].join();
  const before = known.get(screen);
  if (before?.of === of) return before.missing;
  const all = new Map<string, Missing>(locales.map((locale) => [locale, { locale, operations: [], all: 0, node: '' }]));
  const root = { id: String(screen.id), kind: 'screen', object: screen, parent: null, slot: '' };
  eachText(root, ({ node, path, text }) => {
    if (!/\p{L}/u.test(readText(text, source!, source!).replace(placeholder, ''))) return;
    for (const one of all.values()) {
      one.all++;
      if (readText(text, one.locale, source!) !== '') continue;
      one.node ||= node.id.split('/')[0]!;
      one.operations.push({
        op: 'set',
        node: node.id,
        path: [...path, 'translations', one.locale],
        value: text.default,
      });
    }
  });
  const missing = [...all.values()];
  known.set(screen, { of, missing });
  return missing;
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
const low = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);
