import { find, isObject } from './document/canonical';
import type { Json, JsonObject, Operation } from './document/operation';

/** Something that the app tells of a person. */
export type Attribute = {
  key: string;
  /** As conditions of the flow compare it; text where they don't, or in several ways. */
  type: 'text' | 'number' | 'yes';
  /** What conditions compare it with. */
  values: string[];
};

const types: Record<string, Attribute['type']> = { number: 'number', boolean: 'yes' };

/** The keys of the attributes that a flow lists, each once, in its order. */
export const attributeKeys = ({ sdkAttributeKeys }: JsonObject): string[] =>
  Array.isArray(sdkAttributeKeys) ? [...new Set(sdkAttributeKeys.map(String))] : [];

/** The operation by which a flow lists other attributes. */
export const setAttributes = (keys: readonly string[]): Operation => ({
  op: 'set',
  node: 'flow',
  path: ['sdkAttributeKeys'],
  value: keys,
});

/** The attributes that a flow lists, in its order. */
export function attributesOf(flow: JsonObject): Attribute[] {
  const found = new Map(
    attributeKeys(flow).map((key) => [key, { types: new Set<string>(), values: new Set<string>() }]),
  );
  if (found.size === 0) return [];
  eachObject(flow, ({ variable, predicate }) => {
    if (!isObject(variable) || variable.kind !== 'sdk' || !isObject(predicate)) return;
    const one = found.get(String(variable.key));
    if (!one) return;
    one.types.add(types[String(predicate.type)] ?? 'text');
    if (!isObject(predicate.pred)) return;
    const { value, optionId, optionIds } = predicate.pred;
    for (const each of [value, optionId, ...(Array.isArray(optionIds) ? optionIds : [])])
      if (typeof each === 'string' && each !== '') one.values.add(each);
  });
  return [...found].map(([key, { types, values }]) => ({
    key,
    type: types.size === 1 ? ([...types][0] as Attribute['type']) : 'text',
    values: [...values],
  }));
}

/** Whether a button of a flow asks for a permission of the system. */
export function asksPermission(flow: JsonObject): boolean {
  let asks = false;
  eachObject(flow, ({ kind }) => {
    asks ||= kind === 'request_os_permission';
  });
  return asks;
}

/** Whether a flow leads to a paywall that tells of what was bought. */
export const sells = ({ externalSurfaceNodes: nodes }: JsonObject): boolean =>
  Array.isArray(nodes) &&
  nodes.some((one) => /^(revenuecat|superwall)$/.test(String(find(one as JsonObject, ['config', 'provider']))));

/** Visits every object in a value, the outer ones first. */
export function eachObject(value: Json, visit: (object: JsonObject) => void) {
  if (Array.isArray(value)) for (const one of value) eachObject(one, visit);
  else if (isObject(value)) {
    visit(value);
    for (const one of Object.values(value)) eachObject(one, visit);
  }
}
