import type { Json, JsonObject, RefusalCode } from './operation';

/** Writes a document in the one form of its JSON that is compared and stored: members sorted by code point, no white
 * space. Go writes the same bytes (manifest.Canonical). */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort(compareCodePoints);
    return `{${members.map((name) => `${quote(name)}:${canonical(value[name]!)}`).join(',')}}`;
  }
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Orders as UTF-8 does: JavaScript's own order puts U+E000 to U+FFFF behind what needs two units. */
function compareCodePoints(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x - y;
  }
  return a.length - b.length;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Says what Go, JavaScript and PostgreSQL can't keep the same: a member __proto__, NUL, half of a surrogate pair, and
 * what is nested more than so many levels deep. */
export function checkValue(value: Json, levels: number): RefusalCode | undefined {
  if (levels < 0) return 'limit';
  if (typeof value === 'string') return checkText(value);
  if (Array.isArray(value)) {
    for (const element of value) {
      const code = checkValue(element, levels - 1);
      if (code) return code;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  let worst: RefusalCode | undefined;
  for (const [name, member] of Object.entries(value)) {
    for (const code of [checkName(name), checkValue(member, levels - 1)])
      if (code === 'limit' || !worst) worst = code ?? worst;
  }
  return worst;
}

export function checkText(text: string): RefusalCode | undefined {
  return /[\uD800-\uDFFF]/u.test(text) || text.includes('\0') ? 'shape' : undefined;
}

export function checkName(name: string): RefusalCode | undefined {
  return name === '__proto__' ? 'shape' : checkText(name);
}

/** Copies a value; −0 becomes 0, as in its JSON. */
export function copy<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as unknown as T;
  if (isObject(value)) {
    const out: Record<string, Json> = {};
    for (const [name, member] of Object.entries(value)) if (member !== undefined) out[name] = copy(member);
    return out as T;
  }
  return (value === 0 ? 0 : value) as T;
}

/** Follows a path through objects; undefined when it leads nowhere. */
export function find(value: Json | undefined, path: readonly string[]): Json | undefined {
  let at = value;
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** Returns the object with a member at a path; objects on the way are made where there are none. */
export function setIn(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) return { ...object, [name]: value };
  const inner = Object.hasOwn(object, name) && isObject(object[name]) ? (object[name] as JsonObject) : {};
  return { ...object, [name]: setIn(inner, rest, value) };
}

/** Returns the object without the member at a path, which must be there. */
export function unsetIn(object: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length > 0) return { ...object, [name]: unsetIn(object[name] as JsonObject, rest) };
  const { [name]: _, ...kept } = object;
  return kept;
}

/** Counts the bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (const point of text) {
    const code = point.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
