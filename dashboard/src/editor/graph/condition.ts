import { find, isObject } from '../document/canonical';
import { type Document, eachNode, type Found, nodeOf } from '../document/document';
import { optionWords } from '../document/exits';
import type { Json, JsonObject } from '../document/operation';

const operators: Record<string, string> = {
  eq: 'is',
  neq: 'is not',
  contains: 'contains',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  one_of: 'is one of',
  intersects: 'has one of',
  contains_all: 'has all of',
  subset_of: 'has only',
};

/** Writes a decision's condition as people say it: "goal is Build muscle and age is at least 18". */
export function conditionWords(document: Document, expression: Json | undefined): string {
  if (!isObject(expression) || expression.kind === 'empty') return 'No condition yet';
  if (expression.kind === 'group') {
    const parts = Array.isArray(expression.children) ? expression.children : [];
    return parts.map((one) => conditionWords(document, one)).join(expression.op === 'or' ? ' or ' : ' and ');
  }
  const { variable, predicate } = expression;
  const compared = find(predicate, ['pred']);
  if (!isObject(variable) || !isObject(compared)) return 'Condition';
  const operator = operators[String(compared.op)] ?? '';
  return `${variableName(variable)} ${operator} ${valueWords(document, variable, compared)}`;
}

function variableName({ kind, name, key, fieldKey }: JsonObject): string {
  const word = kind === 'builtin' ? name : kind === 'sdk' ? key : fieldKey;
  return typeof word === 'string' ? word.replaceAll('_', ' ') : 'something';
}

function valueWords(document: Document, { fieldKey }: JsonObject, compared: JsonObject): string {
  if (compared.value !== undefined && compared.optionId === undefined) return String(compared.value);
  const ids = Array.isArray(compared.optionIds) ? compared.optionIds : [compared.optionId];
  const field = fieldOf(document, fieldKey);
  return ids.map((id) => (field && optionWords(field, String(id))) || String(id)).join(', ');
}

function fieldOf(document: Document, key: Json | undefined): Found | undefined {
  let found: Found | undefined;
  if (typeof key !== 'string') return undefined;
  eachNode(nodeOf(document, 'flow')!, (node) => {
    if (node.object.fieldKey === key && node.object.optionBindings !== undefined) found ??= node;
  });
  return found;
}
