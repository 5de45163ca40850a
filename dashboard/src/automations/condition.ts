import type { Tree } from '../sentences/tree';

export type Operator = 'eq' | 'ne' | 'in' | 'contains' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'absent';

/** A comparison of a condition (docs/automations.md). */
export type Comparison = { is: 'clause'; of: string; property: string; op: Operator; value?: unknown };

/** A condition of an automation as rows; what they cannot show is kept as it is. */
export type Rows = Tree<Comparison, unknown>;

/** Reads a condition of a definition, which may be anything. */
export function readCondition(condition: unknown): Rows {
  if (condition === undefined) return { is: 'never' };
  const kept: Rows = { is: 'expression', expression: condition };
  if (typeof condition !== 'object' || condition === null) return kept;
  const members = Object.keys(condition);
  const { all, any, of, property, op = 'eq', value } = condition as Record<string, unknown>;
  const parts = all ?? any;
  if (Array.isArray(parts) && members.length === 1)
    return parts.length === 0
      ? { is: 'never' }
      : { is: 'group', match: all ? 'all' : 'any', parts: parts.map(readCondition) };
  if (typeof of !== 'string' || typeof property !== 'string' || typeof op !== 'string') return kept;
  if (members.some((name) => !['of', 'property', 'op', 'value'].includes(name))) return kept;
  return { is: 'clause', of, property, op: op as Operator, ...('value' in condition && { value }) };
}

/** Writes rows as a condition; undefined for none. */
export function writeCondition(tree: Rows): unknown {
  switch (tree.is) {
    case 'never':
      return undefined;
    case 'group':
      return { [tree.match]: tree.parts.map(writeCondition) };
    case 'clause': {
      const { is: _, ...comparison } = tree;
      return comparison;
    }
    case 'expression':
      return tree.expression;
  }
}
