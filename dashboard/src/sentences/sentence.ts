import { canonical, isObject } from '../editor/document/canonical';
import type { Json, JsonObject } from '../editor/document/operation';
import { type Operator, offered, operandOf, operatorOf, type Subject } from './operators';
import type { Tree } from './tree';

export type Value = string | number | boolean | readonly string[];

export type Clause = { is: 'clause'; subject: JsonObject; operator: Operator; value: Value };

/** A condition as people read and write it. What an expression has beyond this is kept as it is. */
export type Sentence = Tree<Clause, Json>;

/** Reads an expression of the manifest; toExpression gives back the same JSON, whatever it was. */
export function toSentence(expression: Json | undefined): Sentence {
  if (expression === undefined) return { is: 'never' };
  const sentence = read(expression);
  return sentence && canonical(toExpression(sentence)) === canonical(expression)
    ? sentence
    : { is: 'expression', expression };
}

function read(expression: Json): Sentence | undefined {
  if (!isObject(expression)) return undefined;
  const { kind, op, children, variable, predicate } = expression;
  if (kind === 'empty') return { is: 'never' };
  if (kind === 'group' && Array.isArray(children) && children.length > 0 && (op === 'and' || op === 'or'))
    return { is: 'group', match: op === 'and' ? 'all' : 'any', parts: (children as Json[]).map(toSentence) };
  if (kind !== 'predicate' || !isObject(variable) || !isObject(predicate) || !isObject(predicate.pred))
    return undefined;
  const operator = operatorOf(`${String(predicate.type)} ${String(predicate.pred.op)}`);
  const value = operator && predicate.pred[operandOf(operator)];
  return operator && isValue(operator, value) ? { is: 'clause', subject: variable, operator, value } : undefined;
}

function isValue({ takes }: Operator, value: Json | undefined): value is Value {
  if (takes === 'options')
    return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string');
  return typeof value === (takes === 'number' ? 'number' : takes === 'yes' ? 'boolean' : 'string');
}

/** Writes a sentence as an expression of the manifest. */
export function toExpression(sentence: Sentence): JsonObject {
  switch (sentence.is) {
    case 'never':
      return { kind: 'empty' };
    case 'group':
      return {
        kind: 'group',
        op: sentence.match === 'all' ? 'and' : 'or',
        children: sentence.parts.map(toExpression),
      };
    case 'clause': {
      const { subject, operator, value } = sentence;
      const pred = { op: operator.op, [operandOf(operator)]: value };
      return { kind: 'predicate', variable: subject, predicate: { type: operator.type, pred } };
    }
    case 'expression':
      return sentence.expression as JsonObject;
  }
}

/** A clause about a subject, with its first operator, or another one that keeps what it can of a value. */
export function clauseFor(subject: Subject, operator: Operator = offered(subject)[0]!, was?: Value): Clause {
  return { is: 'clause', subject: subject.variable, operator, value: valueFor(operator, subject, was) };
}

/** A value that an operator takes, as near to another one as can be. */
export function valueFor({ takes }: Operator, subject: Subject | undefined, was?: Value): Value {
  const ids = subject?.options?.map(({ value }) => value);
  const [before]: readonly unknown[] = Array.isArray(was) ? was : [was];
  const known = typeof before === 'string' && (!ids || ids.includes(before)) ? before : (ids?.[0] ?? '');
  switch (takes) {
    case 'text':
      return ids || typeof before !== 'number' ? known : String(before);
    case 'option':
      return known;
    case 'options': {
      const kept = Array.isArray(was) ? was.filter((id) => !ids || ids.includes(id)) : [];
      return kept.length > 0 ? kept : [known];
    }
    case 'number': {
      const number = typeof before === 'string' && before.trim() !== '' ? Number(before) : before;
      return typeof number === 'number' && Number.isFinite(number) ? number : 0;
    }
    case 'yes':
      return typeof before === 'boolean' ? before : true;
  }
}

/** The keys of the attributes that a condition asks for. */
export function attributesIn(sentence: Sentence): string[] {
  if (sentence.is === 'group') return sentence.parts.flatMap(attributesIn);
  if (sentence.is !== 'clause' || sentence.subject.kind !== 'sdk') return [];
  return typeof sentence.subject.key === 'string' ? [sentence.subject.key] : [];
}
