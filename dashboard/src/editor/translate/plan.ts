import type { Operation } from '../document/operation';
import type { Table } from './file';
import { languageCalled } from './languages';
import { markOf, readMark } from './marks';
import { longestNote, writeNote } from './notes';
import { type State, writeState } from './states';
import type { FlowText } from './texts';

/** The longest text that is taken, in characters of JavaScript. */
export const longest = 10_000;

/** A text that gets other words in a language. */
export type Change = { text: FlowText; locale: string; from: string; to: string; state?: State | '' };

/** A translation that the file has for another text than the flow has by now, or that changed in both. */
export type Conflict = Change & {
  row: number;
  /** Names it among the choices. */
  name: string;
  /** The text in the default language that the file has, where the flow has another; undefined where the translation in
   * the flow changed since the file was made. */
  said?: string;
};

export type Plan = {
  changes: readonly Change[];
  conflicts: readonly Conflict[];
  /** Notes for translators that become others. */
  notes: readonly { text: FlowText; to: string }[];
  /** Translations that stay, and are reviewed or final from now on, or no longer. */
  states: readonly { text: FlowText; locale: string; to: State | '' }[];
  /** The languages that the flow gets. */
  added: readonly string[];
  /** Cells that say what the flow says already, or what it said when the file was made. */
  same: number;
  /** Languages of the file that the flow does not have. */
  languages: readonly string[];
  /** Columns that are no language. */
  columns: readonly string[];
  /** Rows whose text the flow does not have, or no longer, as the file names it. */
  unknown: readonly { row: number; said: string }[];
  tooLong: readonly { row: number; text: FlowText; locale: string; length: number }[];
  /** Changes that lack a placeholder of the default language, or have one that it has not. */
  placeholders: readonly { change: Change; says: string }[];
  /** What its parts are called. */
  by: 'Row' | 'Line';
};

export type Choices = {
  /** The languages to add to the flow. */
  add: ReadonlySet<string>;
  /** The conflicts in which the file is right, by name. */
  take: ReadonlySet<string>;
};

type Flow = { texts: readonly FlowText[]; locales: readonly string[]; defaultLocale: string };

/** Says what a file would change in a flow, without changing it; in words when it can't change anything. */
export function planImport(flow: Flow, { head, rows, by = 'Row' }: Table, choices: Choices): Plan | string {
  const { texts, locales, defaultLocale } = flow;
  const columns = head.map((said) => columnOf(said, locales, by));
  const at = (is: Column['is']) => columns.findIndex((one) => one.is === is);
  const [keyAt, noteAt, exportedAt, stateAt] = [at('key'), at('note'), at('exported'), at('state')];
  const sourceAt = columns.findIndex((one) => one.is === 'language' && one.locale === defaultLocale);
  const translated = columns.flatMap((one, index) =>
    one.is === 'language' && one.locale !== defaultLocale ? [{ index, locale: one.locale }] : [],
  );
  if (translated.length === 0) return `Its first row names no language to translate into, such as “de” or “German”`;
  if (keyAt < 0 && sourceAt < 0)
    return `Its first row names neither “Key” nor “${defaultLocale}”, which say what is translated`;

  const find = finder(texts, keyAt, sourceAt);
  const changes = new Map<string, Change>();
  const conflicts = new Map<string, Conflict>();
  const notes = new Map<string, Plan['notes'][number]>();
  const states = new Map<string, Plan['states'][number]>();
  const plan = {
    unknown: [] as { row: number; said: string }[],
    tooLong: [] as Plan['tooLong'][number][],
  };
  let same = 0;
  for (const { number: row, cells } of rows) {
    const cell = (index: number) => cells[index] ?? '';
    const found = find(cells);
    if (found.length === 0) plan.unknown.push({ row, said: cell(keyAt) || cell(sourceAt) });
    const source = cell(sourceAt);
    const exported = readMark(cell(exportedAt));
    const state = stateOf(cell(stateAt));
    for (const text of found) {
      const note = cell(noteAt).slice(0, longestNote);
      if (note.trim() !== '' && note !== text.note) notes.set(text.key, { text, to: note });
      for (const { index, locale } of translated) {
        const to = cell(index);
        if (to.trim() === '' || (!locales.includes(locale) && !choices.add.has(locale))) continue;
        const from = text.read(locale);
        const name = `${locale} ${text.key}`;
        const mark = exported.get(locale);
        if (to.length > longest) plan.tooLong.push({ row, text, locale, length: to.length });
        else if (to === from || mark === markOf(to)) {
          same++;
          changes.delete(name);
          conflicts.delete(name);
          if (to === from && state !== undefined && state !== text.state(locale))
            states.set(name, { text, locale, to: state });
        } else {
          const otherSource = source !== '' && !alike(source, text.source);
          // What was reviewed is the translation of another text.
          const change = { text, locale, from, to, ...(!otherSource && state && { state }) };
          const otherTarget = mark !== undefined && mark !== markOf(from);
          conflicts.delete(name);
          changes.delete(name);
          states.delete(name);
          if (otherSource || otherTarget)
            conflicts.set(name, { ...change, row, name, ...(otherSource && { said: source }) });
          if (!(otherSource || otherTarget) || choices.take.has(name)) changes.set(name, change); // the later row wins
        }
      }
    }
  }
  const list = [...changes.values()];
  return {
    ...plan,
    by,
    changes: list,
    conflicts: [...conflicts.values()],
    notes: [...notes.values()],
    states: [...states.values()],
    same,
    added: [...choices.add].filter((locale) => !locales.includes(locale) && list.some((one) => one.locale === locale)),
    languages: [...new Set(translated.map(({ locale }) => locale))].filter((locale) => !locales.includes(locale)),
    columns: head.filter((said, index) => said !== '' && columns[index]!.is === 'unknown'),
    placeholders: list.flatMap((change) => {
      const says = missing(change);
      return says ? [{ change, says }] : [];
    }),
  };
}

type Column = { is: 'key' | 'note' | 'exported' | 'state' | 'place' | 'unknown' } | { is: 'language'; locale: string };

/** The state that a file says of a translation; undefined where it says nothing. */
const stateOf = (said: string): State | '' | undefined =>
  said === 'reviewed' || said === 'final' ? said : said === '' ? undefined : '';

function columnOf(said: string, locales: readonly string[], by: Table['by']): Column {
  const name = said.toLowerCase();
  if (name === 'key') return { is: 'key' };
  if (name === 'note' || name === 'exported') return { is: name };
  if (name === 'state' && by === 'Line') return { is: name };
  if (name === 'screen' || name === 'layer') return { is: 'place' };
  const locale = languageCalled(said, locales);
  return locale ? { is: 'language', locale } : { is: 'unknown' };
}

/** Texts by their key; in a file without keys all that have the same words. */
function finder(texts: readonly FlowText[], keyAt: number, sourceAt: number) {
  const byKey = new Map(texts.map((text) => [text.key, [text]]));
  const byWords = new Map<string, FlowText[]>();
  for (const text of texts) byWords.set(text.source.trim(), [...(byWords.get(text.source.trim()) ?? []), text]);
  return (cells: readonly string[]): readonly FlowText[] => {
    if (keyAt >= 0) return byKey.get((cells[keyAt] ?? '').trim()) ?? [];
    return byWords.get((cells[sourceAt] ?? '').trim()) ?? [];
  };
}

/** Spreadsheets lose white space at the ends. */
const alike = (a: string, b: string) => a.trim() === b.trim();

function missing({ text, to }: Change): string {
  const [has, got] = [text.source, to].map((words) => new Set(words.match(/\{\{[^{}]*\}\}/g)));
  const lost = [...has!].filter((one) => !got!.has(one));
  const added = [...got!].filter((one) => !has!.has(one));
  return [lost.length > 0 && `without ${lost.join(', ')}`, added.length > 0 && `with ${added.join(', ')}`]
    .filter(Boolean)
    .join(', ');
}

/** The operations of a plan, the new languages first. */
export function operationsOf({ changes, notes, states, added }: Plan, { locales, defaultLocale }: Flow): Operation[] {
  const languages: Operation[] =
    added.length > 0
      ? [{ op: 'set', node: 'flow', path: ['locales'], value: [...new Set([defaultLocale, ...locales, ...added])] }]
      : [];
  return [
    ...languages,
    ...changes.map(
      ({ text, locale, to }): Operation => ({
        op: 'set',
        node: text.node,
        path: [...text.path, 'translations', locale],
        value: to,
      }),
    ),
    ...notes.map(({ text, to }) => writeNote(text.key, to)),
    ...states.map(({ text, locale, to }) => writeState(text.key, locale, to, text.source, text.read(locale))),
    ...changes.flatMap(({ text, locale, to, state }) =>
      state ? writeState(text.key, locale, state, text.source, to) : [],
    ),
  ];
}
