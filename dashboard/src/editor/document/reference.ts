import { references as referring } from '../../../../manifest/shape/shape.json';
import { byteLength, checkText, isObject, samePath } from './canonical';
import { type Document, eachNode, type Found, isItem, nodeOf, nodesIn, slotsOf, withObject } from './document';
import type { Json, JsonObject, NodeId, Operation, Refusal } from './operation';

/** A member that names a node; an element of a list has the path of the list. */
export type Reference = { node: NodeId; path: readonly string[] };

/** Lists what names a node. */
export function references(document: Document, id: NodeId): Reference[] {
  const out: Reference[] = [];
  eachNode(nodeOf(document, 'flow')!, (node) => {
    eachProperty(node, [], node.object, (path, value) => {
      const names = value === id || (Array.isArray(value) && value.includes(id));
      if (names && isReference(path)) out.push({ node: node.id, path });
    });
  });
  return out;
}

const members = new Set([...referring, 'entryScreenId']);

/** Tells whether a member at the end of a path names a node. */
export function isReference(path: readonly string[]): boolean {
  const member = path.at(-1)!;
  return member === 'default' ? path.at(-2) === 'next' : members.has(member);
}

function eachProperty(node: Found, path: string[], value: Json, visit: (path: string[], value: Json) => void) {
  if (slotsOf(node.kind).some(([, slot]) => samePath(path, slot.path))) return;
  if (path.length > 0) visit(path, value);
  for (const object of Array.isArray(value) ? value : [value]) {
    if (!isObject(object)) continue;
    for (const name of Object.keys(object).sort()) eachProperty(node, [...path, name], object[name]!, visit);
  }
}

export type Rename = Extract<Operation, { op: 'rename' }>;
/** Is asked for the key to write for each that is found; `text` tells a key in a template. */
export type Replace = (key: string, text: boolean) => string;

/** Gives a field, an option or an attribute another key, wherever it is declared or used. The new key must be free, so
 * that the inverse finds exactly what was renamed. */
export function rename(
  document: Document,
  operation: Rename,
): { document: Document; operation: Operation; inverse: Operation[] } | Refusal {
  const { key, from, to } = operation;
  const node = operation.owner || 'flow';
  const owner = nodeOf(document, node);
  if (!owner) return { code: 'node_removed', node };
  for (const one of [from, to])
    if (one === '' || byteLength(one) > 128 || checkText(one) || (key === 'field' && one.startsWith('permission:')))
      return { code: 'shape', node };
  if (!(key === 'field' || key === 'attribute' || (key === 'option' && operation.owner)))
    return { code: 'shape', node };
  const uses = { from: 0, to: 0, inText: 0 };
  replaceUses(document, operation, owner, (one, text) => {
    if (one === from) {
      uses.from++;
      if (text) uses.inText++;
    } else if (one === to) uses.to++;
    return one;
  });
  if (uses.to > 0 || from === to) return { code: 'exists', node };
  if (uses.from === 0) return { code: 'node_removed', node };
  if (uses.inText > 0 && !/^[a-z][a-z0-9_]*$/.test(to)) return { code: 'shape', node };
  const flow = replaceUses(document, operation, owner, (one) => (one === from ? to : one));
  const parents = new Map(document.parents);
  if (key === 'option') {
    for (const [name, slot] of slotsOf(owner.kind)) {
      const was = `${owner.id}/${name}/${from}`;
      if (!isOption(slot.holds) || !parents.delete(was)) continue;
      parents.set(`${owner.id}/${name}/${to}`, { parent: owner.id, slot: name });
    }
  }
  return { document: { ...document, flow, parents }, operation, inverse: [{ ...operation, from: to, to: from }] };
}

export const isOption = (kind: string) => isItem(kind) && (kind === 'option' || kind === 'wheelOption');

function replaceUses(document: Document, { key }: Rename, owner: Found, replace: Replace): JsonObject {
  if (key === 'attribute')
    return usesIn(replaceAll(document.flow, 'sdkAttributeKeys', replace), key, undefined, replace);
  if (key === 'field') return usesIn(document.flow, key, undefined, replace);
  const flow = withObject(owner, declaredOptions(owner.object, owner.kind, replace));
  return usesIn(flow, key, owner.object.fieldKey, replace);
}

/** Replaces the keys of one sort in a value; those of options where they are compared with the answer of a field. */
export function usesIn(value: JsonObject, key: Rename['key'], field: Json | undefined, replace: Replace): JsonObject {
  switch (key) {
    case 'field':
      return mapObjects(value, (object) => fieldUses(object, replace)) as JsonObject;
    case 'attribute':
      return mapObjects(value, (one) => (one.kind === 'sdk' ? replaceOne(one, 'key', replace) : one)) as JsonObject;
    case 'option':
      if (typeof field !== 'string') return value;
      return mapObjects(value, (object) => comparedOptions(object, field, replace)) as JsonObject;
  }
}

function fieldUses(object: JsonObject, replace: Replace): JsonObject {
  // The key of this kind is a namespace.
  let out = object.kind === 'email_password_auth' ? object : replaceOne(object, 'fieldKey', replace);
  if (typeof out.default !== 'string') return out;
  out = replaceTemplates(out, 'default', replace);
  if (!isObject(out.translations)) return out;
  let translations = out.translations;
  for (const locale of Object.keys(translations)) translations = replaceTemplates(translations, locale, replace);
  return translations === out.translations ? out : { ...out, translations };
}

/** Replaces the keys of the options that a layer of a kind declares. */
export function declaredOptions(layer: JsonObject, kind: string, replace: Replace): JsonObject {
  let out = layer;
  for (const [, slot] of slotsOf(kind)) {
    const list = nodesIn(out, slot);
    if (!isOption(slot.holds) || list.length === 0) continue;
    out = member(
      out,
      slot.path[0]!,
      mapList(list, (one) => replaceOne(one as JsonObject, slot.key, replace)),
    );
  }
  out = replaceOne(out, 'defaultOptionId', replace);
  if (!isObject(out.branching) || !Array.isArray(out.branching.conditions)) return out;
  const conditions = mapList(out.branching.conditions as Json[], (one) =>
    isObject(one) ? replaceOne(one, 'choiceId', replace) : one,
  );
  return member(out, 'branching', member(out.branching, 'conditions', conditions));
}

function comparedOptions(object: JsonObject, field: string, replace: Replace): JsonObject {
  const { variable, predicate } = object;
  if (!isObject(variable) || variable.kind !== 'field' || variable.fieldKey !== field) return object;
  if (!isObject(predicate) || !isObject(predicate.pred)) return object;
  let comparison = replaceAll(replaceOne(predicate.pred, 'optionId', replace), 'optionIds', replace);
  if (predicate.type === 'string' && (comparison.op === 'eq' || comparison.op === 'neq'))
    comparison = replaceOne(comparison, 'value', replace);
  return member(object, 'predicate', member(predicate, 'pred', comparison));
}

/** Sets a member, unless it is that already: what a rename does not reach keeps its identity. */
function member(object: JsonObject, name: string, value: Json): JsonObject {
  return object[name] === value ? object : { ...object, [name]: value };
}

function mapList(list: readonly Json[], change: (one: Json) => Json): readonly Json[] {
  const out = list.map(change);
  return out.every((one, i) => one === list[i]) ? list : out;
}

function mapObjects(value: Json, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return mapList(value, (one) => mapObjects(one, change));
  if (!isObject(value)) return value;
  let out = change(value);
  for (const name of Object.keys(out)) out = member(out, name, mapObjects(out[name]!, change));
  return out;
}

function replaceOne(object: JsonObject, name: string, replace: Replace): JsonObject {
  const key = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof key === 'string' ? member(object, name, replace(key, false)) : object;
}

export function replaceAll(object: JsonObject, name: string, replace: Replace): JsonObject {
  const list = object[name];
  if (!Array.isArray(list)) return object;
  return member(
    object,
    name,
    mapList(list as Json[], (one) => (typeof one === 'string' ? replace(one, false) : one)),
  );
}

function replaceTemplates(object: JsonObject, name: string, replace: Replace): JsonObject {
  const text = object[name];
  if (typeof text !== 'string' || !text.includes('{{')) return object;
  const token = /(\{\{[ \t]*)([a-z][a-z0-9_]*)((?:\.id)?[ \t]*(?:\||\}\}))/g;
  return member(
    object,
    name,
    text.replace(token, (_, left, key, right) => left + replace(key, true) + right),
  );
}
