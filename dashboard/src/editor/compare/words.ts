import { conditionWords } from '../../sentences/words';
import { actionKinds } from '../actionKinds';
import { tokens } from '../color';
import { isObject } from '../document/canonical';
import { end, writtenEnd } from '../document/exits';
import type { Json, NodeId } from '../document/operation';
import { wordsOf } from '../labels';
import { languageName } from '../locales';
import { kindName, nameOf } from '../names';
import type { Property } from '../properties';
import { subjectsOf } from '../subjects';
import type { Placed, Side } from './placed';

/** Names a node of one side: “Continue”, or its kind. */
export function quoted(side: Side, id: NodeId): string {
  const node = side.nodes.get(id);
  if (!node) return 'a missing step';
  const name = clip(nameOf(node.object, node.kind, node.slot));
  return name === kindName(node.kind) ? `the ${name.toLowerCase()}` : `“${name}”`;
}

export function clip(text: string, most = 80): string {
  const points = [...text.trim().replaceAll(/\s+/g, ' ')];
  return points.length <= most ? points.join('') : `${points.slice(0, most).join('').trim()}…`;
}

/** Where something leads. Nothing is the end after a screen; elsewhere nobody has chosen yet. */
export function targetWords(side: Side, value: Json | undefined, none = 'the end of the flow'): string {
  if (value === end || value === writtenEnd) return 'the end of the flow';
  return typeof value === 'string' && value !== '' ? quoted(side, value) : none;
}

/** Says how a value changed; `undefined` words are of a value that can't be said on one line. */
export function changeWords(name: string, [a, b]: Pair<string | undefined>, [had, has]: Pair<boolean>): string {
  if (!had) return b === undefined ? `${name} set` : `${name} set to ${b}`;
  if (!has) return a === undefined ? `${name} reset` : `${name} reset, it was ${a}`;
  return a === undefined || b === undefined || a === b ? `${name} changed` : `${name} changed from ${a} to ${b}`;
}

export type Pair<T> = readonly [before: T, after: T];

/** A value as its control shows it; undefined where that takes more than a line. */
export function valueWords(side: Side, node: Placed, { control }: Property, value: Json | undefined) {
  if ('json' in control) {
    if (control.json === 'an expression') return `“${clip(conditionWords(value, subjectsOf(side.document)), 160)}”`;
    return typeof value === 'string' && side.nodes.has(value) ? quoted(side, value) : plain(value);
  }
  switch (control.is) {
    case 'switch':
      return value === true ? 'on' : value === false ? 'off' : undefined;
    case 'choice':
    case 'variant':
      return typeof value === 'string' ? wordsOf(value) : undefined;
    case 'size':
      return typeof value === 'string' ? (sizes[value] ?? value) : plain(value);
    case 'color':
      return colorWords(value);
    case 'spacing':
      return spacingWords(value);
    case 'target':
      return targetWords(side, value, node.kind === 'screen' ? undefined : 'nowhere');
    case 'action':
      return actionWords(side, value);
    case 'whenDone':
      return doneWords(side, value);
    case 'line':
    case 'number':
      return plain(value);
    case 'trigger':
      return typeof value === 'string' && side.nodes.has(value) ? quoted(side, value) : undefined;
    default:
      return undefined;
  }
}

const sizes: Record<string, string> = { auto: 'Hug', full: 'Full', fill: 'Fill' };

function plain(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return `“${clip(value)}”`;
  return typeof value === 'number' ? String(value) : undefined;
}

function colorWords(value: Json | undefined): string | undefined {
  if (typeof value === 'string') {
    const token = tokens.find(([name]) => value === `$${name}`);
    return token ? token[1] : /gradient/i.test(value) ? undefined : clip(value, 32);
  }
  if (!isObject(value)) return undefined;
  const [light, dark] = [colorWords(value.light), colorWords(value.dark)];
  if (light === undefined || dark === undefined) return light ?? dark;
  return light === dark ? light : `${light} (${dark} in dark mode)`;
}

function spacingWords(value: Json | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  const sides = ['t', 'r', 'b', 'l'].map((side) => (typeof value[side] === 'number' ? value[side] : 0));
  return new Set(sides).size === 1 ? String(sides[0]) : sides.join(' ');
}

function actionWords(side: Side, value: Json | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  const words = Object.hasOwn(actionKinds, String(value.kind)) ? actionKinds[String(value.kind)]!.words : undefined;
  const target = value.kind === 'go_to_step' ? value.screenId : value.targetLayerId;
  return words && typeof target === 'string' ? `${words} ${quoted(side, target)}` : words;
}

function doneWords(side: Side, value: Json | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  if (value.mode === 'screen') return `go to ${targetWords(side, value.screenId)}`;
  return value.mode === 'next' ? 'go on to what comes next' : value.mode === 'none' ? 'do nothing' : undefined;
}

/** Says how a text changed in one language; undefined names the default one. */
export function textWords(name: string, locale: string | undefined, [a, b]: Pair<Json | undefined>): string {
  const named = locale === undefined ? name : `${name} in ${languageName(locale)}`;
  const text = (value: Json | undefined) =>
    typeof value === 'string' && value !== '' ? `“${clip(value)}”` : undefined;
  return changeWords(named, [text(a), text(b)], [text(a) !== undefined, text(b) !== undefined]);
}
