import { languageName } from '../locales';
import { mostBytes, mostRows, type Table } from './file';
import { languageCalled } from './languages';
import { exportedMark } from './marks';
import type { FlowText } from './texts';
import { type Element, escaped, parseXml, quoted, unwritable, XmlError } from './xml';

/** Of XLIFF 2.0 and 2.1. */
const core = 'urn:oasis:names:tc:xliff:document:2.0';
const metadata = 'urn:oasis:names:tc:xliff:metadata:2.0';
const states = ['initial', 'translated', 'reviewed', 'final'];
const placeholder = /\{\{[^{}]*\}\}/g;

/** Texts of a flow as XLIFF 2.0 for one language: a unit each, in a group for each screen. */
export function writeXliff(
  name: string,
  texts: readonly FlowText[],
  { source, target }: { source: string; target: string },
): string {
  const groups: string[] = [];
  let screen = '';
  const out = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<xliff xmlns="${core}" xmlns:mda="${metadata}" version="2.0" srcLang=${quoted(source)} trgLang=${quoted(target)}>`,
    `<file id="flow" original=${quoted(name)} xml:space="preserve">`,
  ];
  for (const text of texts) {
    if (text.screen.id !== screen) {
      if (screen !== '') out.push('</group>');
      screen = text.screen.id;
      groups.push(screen);
      out.push(`<group id="g${groups.length}" name=${quoted(text.screen.name)}>`);
    }
    out.push(unit(text, target));
  }
  if (screen !== '') out.push('</group>');
  out.push('</file>', '</xliff>', '');
  return out.join('\n');
}

function unit(text: FlowText, locale: string): string {
  const place = `${text.screen.name} › ${text.layer}${text.part && `: ${text.part}`}`;
  const target = text.read(locale);
  const data = new Map<string, string>();
  const [source, translated] = [text.source, target].map((words) => content(words, data));
  const notes = [
    `<note id="place" category="place">${safe(place)}</note>`,
    text.note && `<note id="note" category="note">${safe(text.note)}</note>`,
  ];
  const kept = [...data].map(([original, id]) => `<data id="${id}">${safe(original)}</data>`);
  return [
    `<unit id="${unitId(text.key)}" name=${quoted(text.key)}>`,
    `<mda:metadata><mda:metaGroup category="exported"><mda:meta type="mark">${exportedMark([[locale, target]])}</mda:meta></mda:metaGroup></mda:metadata>`,
    `<notes>${notes.filter(Boolean).join('')}</notes>`,
    kept.length > 0 ? `<originalData>${kept.join('')}</originalData>` : '',
    `<segment state="${target === '' ? 'initial' : text.state(locale) || 'translated'}"><source>${source}</source>${target === '' ? '' : `<target>${translated}</target>`}</segment>`,
    '</unit>',
  ]
    .filter(Boolean)
    .join('\n');
}

/** Ids are names of XML: what is not allowed in them is written as its code. The name of the unit is the key itself. */
const unitId = (key: string) => `t-${key.replace(/[^\w.-]/gu, (one) => `:${one.codePointAt(0)!.toString(16)}:`)}`;

/** Words with their placeholders as <ph>, each of which is told apart by what it is. */
function content(words: string, data: Map<string, string>): string {
  let out = '';
  let at = 0;
  const seen = new Map<string, number>();
  for (const { 0: found, index } of words.matchAll(placeholder)) {
    const id = data.get(found) ?? `d${data.size + 1}`;
    data.set(found, id);
    const times = (seen.get(found) ?? 0) + 1;
    seen.set(found, times);
    out += `${safe(words.slice(at, index))}<ph id="${id}-${times}" dataRef="${id}" equiv=${quoted(found)}/>`;
    at = index + found.length;
  }
  return out + safe(words.slice(at));
}

/** Words as content; what XML has no way to hold is <cp>. */
const safe = (words: string) => {
  let out = '';
  let at = 0;
  for (const { 0: one, index } of words.matchAll(unwritable)) {
    const hex = one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    out += `${escaped(words.slice(at, index))}<cp hex="${hex}"/>`;
    at = index + one.length;
  }
  return out + escaped(words.slice(at));
};

/** Reads XLIFF 2.0 or 2.1 as a table of its units. Returns what is wrong with it in words, with the line. */
export function readXliff(text: string, defaultLocale: string): Table | string {
  if (new Blob([text]).size > mostBytes) return 'It has more than 1 MB. Split it by screen';
  try {
    return tableOf(parseXml(text), defaultLocale);
  } catch (error) {
    if (error instanceof XmlError) return error.message;
    throw error;
  }
}

function tableOf(root: Element, defaultLocale: string): Table {
  if (root.name !== 'xliff') fail(root, `begins with <${root.name}> and not with <xliff>`);
  const version = root.attributes.get('version') ?? '';
  if (/^1\./.test(version) || root.namespace === 'urn:oasis:names:tc:xliff:document:1.2')
    fail(root, `says that it is XLIFF ${version || '1.2'}. Export it as XLIFF 2.0`);
  if (root.namespace !== core) fail(root, `has another namespace than XLIFF 2.0 and 2.1, “${root.namespace}”`);
  if (version !== '2.0' && version !== '2.1')
    fail(root, `says that it is XLIFF “${version}”, and 2.0 and 2.1 are taken`);
  const source = language(root, 'srcLang');
  if (source !== defaultLocale)
    fail(
      root,
      `says that it translates from ${languageName(source)}, and the flow’s default is ${languageName(defaultLocale)}`,
    );
  const target = language(root, 'trgLang');
  if (target === source) fail(root, `translates ${languageName(source)} into itself`);
  const rows: { number: number; cells: string[] }[] = [];
  const lines = new Map<string, number>();
  const visit = (element: Element) => {
    for (const child of elements(element)) {
      if (child.namespace !== core) continue;
      if (child.name === 'file' || child.name === 'group') visit(child);
      if (child.name !== 'unit') continue;
      const row = read(child);
      const key = row[0]!;
      if (lines.has(key))
        fail(child, `has unit “${key.slice(0, 80)}” again, which is in line ${lines.get(key)} already`);
      lines.set(key, child.line);
      rows.push({ number: child.line, cells: row });
      if (rows.length > mostRows) fail(child, `is one unit too many: ${mostRows.toLocaleString()} are taken at most`);
    }
  };
  visit(root);
  if (rows.length === 0) fail(root, 'begins a file without units');
  return { head: ['Key', source, target, 'Note', 'Exported', 'State'], rows, by: 'Line' };
}

function fail({ line }: Element, says: string): never {
  throw new XmlError(`Line ${line} ${says}`);
}

const elements = ({ children }: Element) => children.filter((one): one is Element => typeof one !== 'string');

function language(root: Element, name: string): string {
  const said = root.attributes.get(name);
  if (!said) return fail(root, `does not say which language it is in: ${name} is missing`);
  return languageCalled(said, []) ?? fail(root, `has a language that is not known, “${said.slice(0, 40)}”`);
}

/** The cells of a unit. */
function read(unit: Element): string[] {
  const id = unit.attributes.get('id') ?? fail(unit, 'has a unit without an id');
  const data = new Map<string, string>();
  let note = '';
  let exported = '';
  const sources: string[] = [];
  let least = states.length - 1;
  const targets: { words: string | undefined; order: number }[] = [];
  for (const child of elements(unit)) {
    if (child.namespace === metadata && child.name === 'metadata') exported = markIn(child);
    if (child.namespace !== core) continue;
    if (child.name === 'notes') {
      const all = elements(child).filter(({ name }) => name === 'note');
      note = all
        .filter((one) => one.attributes.get('category') === 'note')
        .map(plain)
        .join('\n');
    }
    if (child.name === 'originalData')
      for (const one of elements(child)) data.set(one.attributes.get('id') ?? '', plain(one));
    if (child.name !== 'segment' && child.name !== 'ignorable') continue;
    const state = child.attributes.get('state');
    if (state !== undefined && !states.includes(state))
      fail(child, `has a state that XLIFF does not have, “${state.slice(0, 40)}”`);
    if (child.name === 'segment') least = Math.min(least, states.indexOf(state ?? ''));
    const [source, target] = ['source', 'target'].map((name) => elements(child).find((one) => one.name === name));
    if (!source) return fail(child, `has a <${child.name}> without <source>`);
    const own = words(source, data);
    sources.push(own);
    const order = Number(target?.attributes.get('order') ?? targets.length + 1);
    targets.push({ words: target ? words(target, data) : child.name === 'ignorable' ? own : undefined, order });
  }
  const inOrder = targets.toSorted((a, b) => a.order - b.order).map((one) => one.words);
  // Half of a sentence is no translation.
  const target = inOrder.includes(undefined) ? '' : inOrder.join('');
  return [unit.attributes.get('name') ?? id, sources.join(''), target, note, exported, states[least] ?? ''];
}

function markIn(element: Element): string {
  for (const child of elements(element)) {
    if (child.name === 'meta' && child.attributes.get('type') === 'mark') return plain(child);
    if (child.attributes.get('category') === 'exported') return markIn(child);
  }
  return '';
}

/** The words of an element whose marks are of no account. */
const plain = (element: Element): string => words(element, new Map());

/** Words with what stands for placeholders. Marks around words are taken for the words. */
function words(element: Element, data: ReadonlyMap<string, string>): string {
  return element.children
    .map((one) => {
      if (typeof one === 'string') return one;
      const said = (name: string) => one.attributes.get(name) ?? '';
      const original = (name: string) => {
        const ref = one.attributes.get(name);
        if (ref === undefined) return undefined;
        return data.get(ref) ?? fail(one, `names data that the unit does not have, “${ref.slice(0, 40)}”`);
      };
      switch (one.name) {
        case 'cp': {
          const code = /^[\da-fA-F]{4,6}$/.test(said('hex')) ? Number.parseInt(said('hex'), 16) : -1;
          if (code < 0 || code > 0x10ffff) fail(one, `has a character that is none, “${said('hex').slice(0, 40)}”`);
          return String.fromCodePoint(code);
        }
        case 'ph':
        case 'sc':
        case 'ec':
          return original('dataRef') ?? (said('equiv') || said('disp'));
        case 'pc':
          return `${original('dataRefStart') ?? said('equivStart')}${words(one, data)}${original('dataRefEnd') ?? said('equivEnd')}`;
        default:
          return words(one, data);
      }
    })
    .join('');
}
