import { keyWords } from '../../sentences/words';
import { canonical, find, isObject } from '../document/canonical';
import { exitName, exitsOf } from '../document/exits';
import type { Json, NodeId } from '../document/operation';
import { labelOf } from '../labels';
import { languageName } from '../locales';
import { type Property, propertiesOf } from '../properties';
import type { Placed, Side } from './placed';
import { changeWords, type Pair, targetWords, textWords, valueWords } from './words';

/** What is different in one property of a node. */
export type Difference = { path: readonly string[]; words: string };

/** Says the differences of what a node itself has, in the order of the inspector. */
export function differencesOf([before, after]: Pair<Side>, id: NodeId): Difference[] {
  const [was, is] = [before.nodes.get(id)!, after.nodes.get(id)!];
  const found = grouped(is.kind, differentPaths(was.own, is.own));
  return found.flatMap((one) => say([before, after], [was, is], one));
}

/** The paths of values that only one of two has, or that are not the same. Objects are gone into, lists are values. */
export function differentPaths(a: Json | undefined, b: Json | undefined, path: readonly string[] = []): string[][] {
  if (a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b))) return [];
  const [left, right] = [isObject(a) ? a : undefined, isObject(b) ? b : undefined];
  const names = [...new Set([...Object.keys(right ?? {}), ...Object.keys(left ?? {})])];
  const isValue = (one: Json | undefined) => one !== undefined && !isObject(one);
  if (isValue(a) || isValue(b) || names.length === 0) return [[...path]];
  return names.flatMap((name) => differentPaths(member(left, name), member(right, name), [...path, name]));
}

const member = (object: Json | undefined, name: string) => find(object, [name]);

type Group = { property: Property; paths: string[][] };

/** Puts paths to the properties that they are of. Of an object that has another form now, only that is told. */
function grouped(kind: string, paths: readonly string[][]): Group[] {
  const known = propertiesOf(kind);
  const groups = new Map<string, Group>();
  for (const path of paths) {
    const property =
      known.find((one) => startsWith(path, one.path)) ??
      ({
        path: startsWith(path, ['text']) ? ['text'] : path,
        section: 'Content',
        control: { json: 'alternatives' },
      } as const);
    const key = property.path.join('/');
    groups.set(key, { property, paths: [...(groups.get(key)?.paths ?? []), path] });
  }
  const all = [...groups.values()];
  const forms = all.flatMap(({ property: { path, control } }) =>
    'is' in control && control.is === 'variant' ? [path.slice(0, -1)] : [],
  );
  return all
    .filter(({ property: { path } }) => !forms.some((form) => startsWith(path, form)) || isForm(path, known))
    .toSorted((a, b) => known.indexOf(a.property) - known.indexOf(b.property));
}

const isForm = (path: readonly string[], known: readonly Property[]) =>
  known.some((one) => one.path === path && 'is' in one.control && one.control.is === 'variant');

export const startsWith = (path: readonly string[], start: readonly string[]) =>
  start.every((name, i) => path[i] === name);

function say(sides: Pair<Side>, nodes: Pair<Placed>, { property, paths }: Group): Difference[] {
  const [before, after] = sides;
  const [was, is] = nodes;
  const { path, control } = property;
  const values = [find(was.object, path), find(is.object, path)] as const;
  const one = (words: string): Difference[] => [{ path, words }];
  const label = labelOf(path);
  const joined = path.join(' ');
  if (joined === 'locales' || joined === 'sdkAttributeKeys') return one(listWords(joined, values));
  if (joined === 'name') {
    const [a, b] = values;
    return one(
      changeWords('Name', [a, b].map((v) => (typeof v === 'string' && v !== '' ? `“${v}”` : undefined)) as never, [
        !!a,
        !!b,
      ]),
    );
  }
  if ('is' in control && control.is === 'text') return texts(label, property, paths, values);
  if ('is' in control && control.is === 'branching') {
    const led = ledBy(sides, was.step, is.id);
    return one(led.length > 0 ? led.join('; ') : 'Next steps of the options changed');
  }
  if ('is' in control && control.is === 'target') {
    const none = is.kind === 'screen' || is.kind === 'flow' ? undefined : 'nowhere';
    const [a, b] = [targetWords(before, values[0], none), targetWords(after, values[1], none)];
    const verb = leads[joined] ?? `${label}: leads to`;
    return one(a === b ? `${label} changed` : `${verb} ${b} instead of ${a}`);
  }
  const words = [valueWords(before, was, property, values[0]), valueWords(after, is, property, values[1])] as const;
  if ('is' in control && (control.is === 'action' || control.is === 'whenDone') && words[0] && words[1])
    return one(words[0] === words[1] ? `${label} changed` : `${label}: ${words[1]} instead of ${words[0]}`);
  const name = 'json' in control && control.json === 'an expression' ? 'Condition' : label;
  const form = 'is' in control && control.is === 'variant' ? path.slice(0, -1) : path;
  const had = [find(was.object, form) !== undefined, find(is.object, form) !== undefined] as const;
  return [{ path: form, words: changeWords(name, words, had) }];
}

const leads: Record<string, string> = {
  'next default': 'Leads to',
  next: 'Leads to',
  entryScreenId: 'Starts with',
  elseNext: 'Otherwise leads to',
  fallback: 'Otherwise leads to',
  fallbackScreenId: 'Back leads to',
};

/** A text by language. One that a language lost or got as a whole is said for each language, too. */
function texts(
  label: string,
  { path }: Property,
  paths: readonly string[][],
  [a, b]: Pair<Json | undefined>,
): Difference[] {
  const told = paths.flatMap((full): Difference[] => {
    const inside = full.slice(path.length);
    const locale = inside[0] === 'translations' ? inside[1] : undefined;
    if (inside[0] !== 'default' && (locale === undefined || inside.length !== 2)) return [];
    return [{ path: full, words: textWords(label, locale, [find(a, inside), find(b, inside)]) }];
  });
  return told.length === paths.length ? told : [{ path, words: `${label} changed` }];
}

function listWords(name: 'locales' | 'sdkAttributeKeys', values: Pair<Json | undefined>): string {
  const [a, b] = values.map((value) => (Array.isArray(value) ? value.map(String) : [])) as unknown as Pair<string[]>;
  const what = name === 'locales' ? ['Languages', 'language'] : ['Attributes', 'attribute'];
  const parts = [
    ...b
      .filter((one) => !a.includes(one))
      .map((one) => `${what[1]} ${name === 'locales' ? languageName(one) : `“${keyWords(one)}”`} added`),
    ...a
      .filter((one) => !b.includes(one))
      .map((one) => `${what[1]} ${name === 'locales' ? languageName(one) : `“${keyWords(one)}”`} removed`),
  ];
  const words = parts.length > 0 ? parts.join(', ') : `${what[0]} in another order`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Which options of a choice lead elsewhere now. */
function ledBy([before, after]: Pair<Side>, step: NodeId | null, choice: NodeId): string[] {
  const ways = (side: Side) => {
    const found = step === null ? undefined : side.nodes.get(step);
    return found ? exitsOf(found).filter(({ node, kind }) => node === choice && kind === 'option') : [];
  };
  const was = new Map(ways(before).map((exit) => [exit.id, exit.to]));
  return ways(after).flatMap((exit) =>
    was.has(exit.id) && was.get(exit.id) !== exit.to
      ? [
          `“${exitName(after.document, exit)}” leads to ${targetWords(after, exit.to, 'what comes next')} instead of ${targetWords(before, was.get(exit.id), 'what comes next')}`,
        ]
      : [],
  );
}
