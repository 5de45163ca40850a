import shape from '../../../manifest/shape/shape.json';
import { find, isObject } from './document/canonical';
import type { Json, JsonObject } from './document/operation';

/** From which widths on a screen may differ, narrowest first, in CSS pixels. */
export const breakpoints = [
  ['sm', 640],
  ['md', 768],
  ['lg', 1024],
  ['xl', 1280],
  ['2xl', 1536],
] as const;

export type Breakpoint = (typeof breakpoints)[number][0];

type Schema = { $ref?: string; allOf?: Schema[]; properties?: Record<string, Schema> };
type Kind = { properties?: Record<string, Schema>; variants?: Record<string, { properties?: Record<string, Schema> }> };

const kinds = shape.kinds as unknown as Record<string, Kind>;
const types = shape.types as unknown as Record<string, Schema>;

const resolved = ({ $ref, ...own }: Schema): Schema => ($ref ? types[$ref.slice('#/$defs/'.length)]! : own);

function membersOf(schema: Schema): Record<string, Schema> {
  const { allOf = [], properties } = resolved(schema);
  return Object.assign({}, ...allOf.map(membersOf), properties);
}

type Patches = readonly [name: string, patch: Schema][];
const known = new Map<string, Patches>();

/** What each member of a kind that patches others by width may change: the type of its patches. */
export function patchesOf(kind: string): Patches {
  const found = known.get(kind) ?? list(kind);
  known.set(kind, found);
  return found;
}

function list(kind: string): Patches {
  const { properties = {}, variants = {} } = kinds[kind] ?? {};
  const all = Object.assign({}, properties, ...Object.values(variants).map((one) => one.properties));
  return Object.entries(all as Record<string, Schema>)
    .filter(([name]) => name.endsWith('Breakpoints'))
    .map(([name, schema]) => [name, membersOf(schema).sm!]);
}

/** Where the value of a property is that holds from a width on; undefined for what is the same at all widths. */
export function pathAt(kind: string, path: readonly string[], breakpoint: Breakpoint): string[] | undefined {
  const [first = '', ...rest] = path;
  for (const [name, patch] of patchesOf(kind)) {
    const inside = name === `${first}Breakpoints`;
    if (!inside && !name.endsWith('LayoutBreakpoints')) continue;
    // A fill keeps its kind and its media: what patches it has a name of its own.
    const at = (inside ? rest : path).map((member) => (member === 'backgroundFill' ? 'backgroundFillPatch' : member));
    if (at.length > 0 && has(patch, at)) return [name, breakpoint, ...at];
  }
  return undefined;
}

function has(schema: Schema, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  const member = membersOf(schema)[name];
  return member !== undefined && has(member, rest);
}

/** Whether anything of a kind can differ by width. */
export const canDiffer = (kind: string): boolean => patchesOf(kind).length > 0;

/** What holds from a width on where that has no value of its own: the value of narrower widths, in the end of all. */
export function heldAt(
  object: JsonObject,
  kind: string,
  path: readonly string[],
  breakpoint: Breakpoint | undefined,
): Json | undefined {
  let value = find(object, path);
  for (const [name] of breakpoints) {
    if (name === breakpoint) break;
    const at = pathAt(kind, path, name);
    if (at) value = merged(value, find(object, at), path);
  }
  return value;
}

/** A value with a patch over it, as the SDK draws it: objects merge, but the distances of a screen, which are replaced. */
export function merged(base: Json | undefined, patch: Json | undefined, path: readonly string[]): Json | undefined {
  if (patch === undefined) return base;
  return isObject(base) && isObject(patch) && !isWhole(path) ? { ...base, ...patch } : patch;
}

/** Whether a patch of a property stands for all of it. */
export const isWhole = ([first, second]: readonly string[]): boolean =>
  first === 'containerStyle' && /^(padding|margin)$/.test(second ?? '');

/** The widths from which on a property has a value of its own. */
export function differsAt(object: JsonObject, kind: string, path: readonly string[]): number[] {
  return breakpoints.flatMap(([name, width]) => {
    const at = pathAt(kind, path, name);
    return at && find(object, at) !== undefined ? [width] : [];
  });
}

/** The widest breakpoint that holds at a width. */
export const breakpointAt = (width: number): Breakpoint | undefined =>
  breakpoints.findLast(([, least]) => width >= least)?.[0];
