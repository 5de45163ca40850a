import shape from '../../../manifest/shape/shape.json';
import { find } from './document/canonical';
import { possibleOutcomes } from './document/exits';
import type { JsonObject } from './document/operation';

export type Section = 'Content' | 'Layout' | 'Style' | 'States' | 'Motion' | 'Actions';

/** Why a property has no control of its own and is left to the JSON of the node. */
export type Reason = 'by breakpoint' | 'a list' | 'an expression' | 'not shown' | 'alternatives' | 'older form';

export type Control =
  | { is: 'text' }
  | { is: 'line'; multiline?: boolean }
  | { is: 'number'; min?: number; max?: number; step: number }
  /** `on` where it is on when nothing is set. */
  | { is: 'switch'; on?: true }
  | { is: 'choice'; values: readonly string[] }
  | { is: 'color'; gradients: boolean }
  | { is: 'spacing' }
  | { is: 'size'; words: readonly string[]; max: number }
  | { is: 'target' }
  /** Words of a list; one of `values` each where those are all that there are. */
  | { is: 'list'; values?: readonly string[] }
  | { is: 'icon' | 'font' }
  | { is: 'branching' | 'action' | 'whenDone' | 'trigger' | 'media' }
  /** Which of several forms an object has, told by its member `by`, with the members that each form has. */
  | { is: 'variant'; by: string; members: Readonly<Record<string, readonly string[]>> };

export type Property = { path: readonly string[]; section: Section; control: Control | { json: Reason } };

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  deprecated?: boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string };
};

type Kind = {
  is: string;
  properties?: Record<string, Schema>;
  required?: string[];
  variants?: Record<string, { properties?: Record<string, Schema> }>;
};

const kinds = shape.kinds as unknown as Record<string, Kind>;
const types = shape.types as unknown as Record<string, Schema>;

/** Types that have a control of their own. What is not here is judged by the form of its schema. */
const byType: Record<string, Property['control']> = {
  LocalizedText: { is: 'text' },
  ThemedColor: { is: 'color', gradients: false },
  ThemedBackground: { is: 'color', gradients: true },
  Padding: { is: 'spacing' },
  Width: { is: 'size', words: words('Width'), max: 2000 },
  Height: { is: 'size', words: words('Height'), max: 2000 },
  ScreenTarget: { is: 'target' },
  NodeTarget: { is: 'target' },
  FlowTarget: { is: 'target' },
  EntryTarget: { is: 'target' },
  MediaReference: { is: 'media' },
  ButtonAction: { is: 'action' },
  OnComplete: { is: 'whenDone' },
  LayerReference: { is: 'trigger' },
  RestingMotion: { json: 'not shown' }, // the older form of restingMotions
  Branching: { is: 'branching' },
  BuilderMeta: { json: 'not shown' },
  Expression: { json: 'an expression' },
};

function words(type: string): string[] {
  return types[type]!.oneOf!.find((one) => one.enum)!.enum!;
}

/** What the server writes. */
const stamped = ['flowId', 'schemaVersion', 'version'];

/** Lists the properties of a kind with what they are set by, those inside objects too, as they are read. */
export function propertiesOf(kind: string): Property[] {
  const found = known.get(kind) ?? list(kind).toSorted((a, b) => placeOf(a) - placeOf(b));
  known.set(kind, found);
  return found;
}
const known = new Map<string, Property[]>();

function list(kind: string): Property[] {
  const { properties = {}, variants = {} } = kinds[kind] ?? { is: 'layer' };
  const all = { ...properties };
  for (const name of stamped) if (kind === 'flow') delete all[name];
  if (kind === 'icon') delete all.family; // there is one
  for (const variant of Object.values(variants)) Object.assign(all, variant.properties);
  const found = Object.entries(all).flatMap(([name, schema]) => spread([name], schema));
  return found.map((one) =>
    'is' in one.control && one.control.is === 'switch' && isOnByDefault(kind, one.path.at(-1)!)
      ? { ...one, control: { is: 'switch', on: true } }
      : one,
  );
}

/** Whether the renderers do what a switch says where nothing is set. Media repeat by themselves, carousels and motions
 * do not. */
function isOnByDefault(kind: string, name: string): boolean {
  if (name === 'loop') return kind !== 'carousel' && kind !== 'motion';
  return /SpringBack$|^autoPlay$|^show(Line2|Region)$/.test(name);
}

function spread(path: string[], schema: Schema): Property[] {
  const name = schema.$ref?.replace('#/$defs/', '');
  if (path.at(-1)!.endsWith('Breakpoints')) return [property(path, { json: 'by breakpoint' })];
  if (name && byType[name]) return [property(path, byType[name])];
  // The theme's are colors without names, as they are what names stand for.
  if (path[0] === 'theme' && schema.type === 'string' && path[1] !== 'fontFamily')
    return [property(path, { is: 'color', gradients: false })];
  if (schema.deprecated) return [property(path, { json: 'older form' })];
  const whole = name ? types[name]! : schema;
  const control = controlOf(whole, path.at(-1)!);
  if (control) return [property(path, control)];
  if (whole.discriminator) return variants(path, whole.discriminator.propertyName, whole.oneOf ?? []);
  const members = membersOf(whole);
  if (Object.keys(members).length > 0)
    return Object.entries(members).flatMap(([member, inner]) => spread([...path, member], inner));
  return [property(path, { json: whole.type === 'array' ? 'a list' : 'alternatives' })];
}

/** An object of several forms: which it is, then all that any of them has. */
function variants(path: string[], by: string, forms: Schema[]): Property[] {
  const found: [string, Record<string, Schema>][] = forms.map((form) => {
    const { [by]: tag, ...members } = membersOf(form.$ref ? types[form.$ref.slice(8)]! : form);
    return [String(tag!.const), members];
  });
  const members = Object.fromEntries(found.map(([name, own]) => [name, Object.keys(own)]));
  const all: Record<string, Schema> = Object.assign({}, ...found.map(([, own]) => own));
  return [
    property([...path, by], { is: 'variant', by, members }),
    ...Object.entries(all).flatMap(([name, schema]) => spread([...path, name], schema)),
  ];
}

function controlOf(schema: Schema, name: string): Control | undefined {
  if (schema.enum) return { is: 'choice', values: schema.enum };
  if (typeof schema.const === 'string') return { is: 'choice', values: [schema.const] };
  if (schema.type === 'boolean') return { is: 'switch' };
  if (schema.type === 'array') return listOf(schema.items ?? {});
  if (/[iI]conName$/.test(name)) return { is: 'icon' };
  if (name === 'fontFamily') return { is: 'font' };
  if (schema.type === 'string') return { is: 'line', multiline: name === 'alt' };
  if (schema.type !== 'integer' && schema.type !== 'number') return undefined;
  const { minimum: min, maximum: max } = schema;
  const fraction = schema.type === 'number' && max !== undefined && max <= 10;
  return { is: 'number', step: fraction ? 0.05 : 1, ...(min !== undefined && { min }), ...(isLimit(max) && { max }) };
}

/** A list of words; of what holds more, a node's slot has the control, or JSON. */
function listOf(items: Schema): Control | undefined {
  const one = items.$ref ? types[items.$ref.slice(8)]! : items;
  if (one.enum) return { is: 'list', values: one.enum };
  return one.type === 'string' ? { is: 'list' } : undefined;
}

/** What comes first in its section; the rest follows by the alphabet. */
const order = [
  'name',
  'defaultLocale',
  'entryScreenId',
  'locales',
  'preset',
  'mode',
  'text',
  'iconName',
  'media',
  'purchase_completed',
  'completed',
  'restore_completed',
  'purchase_cancelled',
  'alt',
  'fieldKey',
  'placeholder',
  'action',
  'next',
  'direction',
  'align',
].concat(
  ['distribution', 'gap', 'wrap', 'columns', 'width', 'height', 'padding', 'margin', 'minWidth', 'maxWidth'],
  ['minHeight', 'maxHeight', 'aspectRatio', 'fit', 'position', 'inset', 'zIndex', 'variant', 'fontFamily', 'fontSize'],
  [
    'primary',
    'primaryForeground',
    'accent',
    'fontWeight',
    'lineHeight',
    'letterSpacing',
    'color',
    'background',
    'foreground',
    'backgroundOpacity',
    'radius',
    'border',
    'shadow',
  ],
);

function placeOf({ path }: Property): number {
  if (path[0] === 'fallback') return order.length + 1; // behind the outcomes
  const at = order.indexOf(path.find((name) => !/[sS]tyle$|^(outcomes|theme)$/.test(name))!);
  return at < 0 ? order.length : at;
}

/** Whether a property of a node of a kind does anything beside what else is set: a place in depth is for layers that
 * stand free, an image's fit for a background that is one. */
export function applies({ path }: Property, object: JsonObject, kind: string): boolean {
  const [first = '', second = ''] = path;
  if (kind === 'motion') return moves(first, object);
  if (kind === 'wheel_picker' && !isOfMode(first, object)) return false;
  if (first === 'outcomes' && kind === 'surface') return possibleOutcomes(object).includes(second);
  for (const { path: at, control } of propertiesOf(kind)) {
    if (!('is' in control) || control.is !== 'variant' || path.length < at.length) continue;
    const within = at.slice(0, -1).every((name, i) => path[i] === name);
    const member = path[at.length - 1]!;
    if (within && member !== control.by) return !!control.members[String(find(object, at))]?.includes(member);
  }
  if (!/[sS]tyle$/.test(first) || !/^(inset|zIndex)$/.test(second)) return true;
  return find(object, path) !== undefined || find(object, ['style', 'position']) === 'absolute';
}

/** Whether a member of a resting motion does anything in its preset. */
function moves(name: string, object: JsonObject): boolean {
  if (object[name] !== undefined) return true;
  if (name === 'durationMs') return object.loop !== true;
  if (name === 'cycleDurationMs') return object.loop === true && object.preset !== 'scale';
  const preset = /^(translate|bounce|scale|pulse|rotate)[A-Z]/.exec(name)?.[1];
  return preset === undefined || preset === object.preset;
}

/** Whether a member of a wheel does anything in its mode: dates have parts and years, options one that is chosen. */
function isOfMode(name: string, object: JsonObject): boolean {
  if (object[name] !== undefined) return true;
  const isOf = { datePart: 'date', minYear: 'date', maxYear: 'date', defaultOptionId: 'options' }[name];
  return isOf === undefined || isOf === (object.mode ?? 'options');
}

const isLimit = (max: number | undefined): max is number => max !== undefined && max < Number.MAX_SAFE_INTEGER;

function membersOf(schema: Schema): Record<string, Schema> {
  const out: Record<string, Schema> = {};
  for (const part of schema.allOf ?? []) Object.assign(out, membersOf(part.$ref ? types[part.$ref.slice(8)]! : part));
  return Object.assign(out, schema.properties);
}

function property(path: readonly string[], control: Property['control']): Property {
  return { path, section: sectionOf(path), control };
}

const layout = new Set(
  ['direction', 'gap', 'align', 'distribution', 'wrap', 'columns', 'width', 'height', 'minWidth', 'maxWidth'].concat(
    ['minHeight', 'maxHeight', 'padding', 'margin', 'position', 'inset', 'zIndex', 'aspectRatio', 'insetSafeArea'],
    ['pageAlignment', 'pagePeek', 'pageSpacing'],
  ),
);
const motion = /^(restingMotion|delayMs|durationMs|fillDelayMs|autoPlay|loop|autoAdvance|autoAdvanceMs|stagger)$/;
const actions =
  /^(outcomes|fallback|action|next|onComplete|href|fallbackScreenId|triggerLayerId|branching|elseNext|elseRootLayerId)$/;

function sectionOf(path: readonly string[]): Section {
  const [first = '', second] = path;
  if (/^(selected|checked|unchecked|active|inactive)/.test(first)) return 'States';
  if (motion.test(first)) return 'Motion';
  if (actions.test(first)) return 'Actions';
  const inStyle = /[sS]tyle$/.test(first) && second !== undefined;
  if (layout.has(inStyle ? second : first) && !(inStyle && first === 'style' && second === 'align')) return 'Layout';
  if (inStyle || /[cC]olor$|[oO]pacity$|^variant$|^buttonVariant$|^theme$/.test(first)) return 'Style';
  if (/Breakpoints$/.test(first)) return 'Layout';
  return 'Content';
}

export const sections: readonly Section[] = ['Content', 'Actions', 'Layout', 'Style', 'States', 'Motion'];

/** The members that a valid node of a kind has. */
export const requiredOf = (kind: string): ReadonlySet<string> => new Set(kinds[kind]?.required);
