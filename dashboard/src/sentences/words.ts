import { canonical, isObject } from '../editor/document/canonical';
import type { Json, JsonObject } from '../editor/document/operation';
import { type Subject, wordsFor } from './operators';
import { type Clause, type Sentence, toSentence } from './sentence';

/** Finds what a variable stands for; undefined when nothing of it is left. */
export function subjectOf(subjects: readonly Subject[], variable: JsonObject): Subject | undefined {
  const wanted = canonical(variable);
  return subjects.find((one) => canonical(one.variable) === wanted);
}

/** A key as people say it: `how_many` is "How many". */
export function keyWords(key: string): string {
  const words = key
    .replace(/^permission:/, 'permission ')
    .replaceAll(/[_\s]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is compared, by its name, which is made from its key when it is not there any more. */
export function subjectName(subjects: readonly Subject[], variable: JsonObject): string {
  const { kind, name, key, fieldKey } = variable;
  const own = kind === 'builtin' ? name : kind === 'sdk' ? key : fieldKey;
  return subjectOf(subjects, variable)?.name ?? (typeof own === 'string' ? keyWords(own) : 'Something');
}

/** What can be chosen, by what it is listed under. */
export function grouped<T extends { group: string }>(list: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of list) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return [...groups];
}

/** A condition in words: "Goal is Build muscle and Age is at least 18". */
export function conditionWords(expression: Json | undefined, subjects: readonly Subject[]): string {
  const sentence = toSentence(expression);
  return sentence.is === 'never' ? 'No condition yet' : words(sentence, subjects);
}

export function words(sentence: Sentence, subjects: readonly Subject[]): string {
  switch (sentence.is) {
    case 'never':
      return 'never';
    case 'group':
      return sentence.parts
        .map((part) => {
          const inner = words(part, subjects);
          return part.is === 'group' && part.parts.length > 1 ? `(${inner})` : inner;
        })
        .join(sentence.match === 'all' ? ' and ' : ' or ');
    case 'clause': {
      const { subject, operator } = sentence;
      return `${subjectName(subjects, subject)} ${wordsFor(operator, subject)} ${valueWords(sentence, subjects)}`;
    }
    case 'expression':
      return outlineOf(sentence.expression, subjects);
  }
}

/** The value of a clause: options by their words, what is ticked as yes or no. */
export function valueWords({ subject, operator, value }: Clause, subjects: readonly Subject[]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const options = subjectOf(subjects, subject)?.options;
  const label = (id: string) => options?.find((option) => option.value === id)?.label ?? (id || '“”');
  if (operator.op === 'contains') return String(value) || '“”';
  return typeof value === 'object' ? value.map(label).join(', ') : label(String(value));
}

/** What can be said of an expression that is no sentence: what it compares, or that it is unknown. */
function outlineOf(expression: Json, subjects: readonly Subject[]): string {
  const inner = isObject(expression) ? expression : {};
  if (Array.isArray(inner.children) && inner.children.length > 0)
    return (inner.children as Json[])
      .map((child) => words(toSentence(child), subjects))
      .join(inner.op === 'or' ? ' or ' : ' and ');
  return isObject(inner.variable)
    ? `a condition on ${subjectName(subjects, inner.variable)}`
    : 'a condition of another kind';
}
