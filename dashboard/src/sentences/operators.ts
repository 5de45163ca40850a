import type { JsonObject } from '../editor/document/operation';

/** How the value of a predicate is written. */
export type Takes = 'text' | 'number' | 'yes' | 'option' | 'options';

export type Operator = {
  /** The type of the predicate and what it does: `number gte`. */
  id: string;
  type: string;
  op: string;
  words: string;
  takes: Takes;
};

const operator = (type: string, op: string, words: string, takes: Takes): Operator => {
  return { id: `${type} ${op}`, type, op, words, takes };
};

/** Every comparison that the manifest has, with the words for it. */
export const operators: readonly Operator[] = [
  operator('choice', 'eq', 'is', 'option'),
  operator('multi', 'intersects', 'has one of', 'options'),
  operator('multi', 'contains_all', 'has all of', 'options'),
  operator('multi', 'subset_of', 'has only', 'options'),
  operator('string', 'eq', 'is', 'text'),
  operator('string', 'neq', 'is not', 'text'),
  operator('string', 'contains', 'contains', 'text'),
  operator('choice', 'one_of', 'is one of', 'options'),
  operator('number', 'eq', 'is', 'number'),
  operator('number', 'neq', 'is not', 'number'),
  operator('number', 'lt', 'is less than', 'number'),
  operator('number', 'lte', 'is at most', 'number'),
  operator('number', 'gt', 'is more than', 'number'),
  operator('number', 'gte', 'is at least', 'number'),
  operator('boolean', 'eq', 'is', 'yes'),
  operator('boolean', 'neq', 'is not', 'yes'),
];

const byId = new Map(operators.map((one) => [one.id, one]));

export const operatorOf = (id: string): Operator | undefined => byId.get(id);

/** Where a predicate of an operator has its value. */
export const operandOf = ({ takes }: Operator): string =>
  takes === 'option' ? 'optionId' : takes === 'options' ? 'optionIds' : 'value';

/** What a variable holds: an option's id, several, or a value. What attributes hold is not known before a run. */
export type Answer = 'option' | 'options' | 'text' | 'number' | 'yes' | 'attribute' | 'none';

/** What can be compared: the answer to a question, an attribute that the app sends, or what the device is. */
export type Subject = {
  variable: JsonObject;
  name: string;
  /** What it is listed under: the name of a screen, "Attributes", "Device". */
  group: string;
  answer: Answer;
  /** The screen that asks it. */
  asked?: string;
  /** What the answer can be, where that is known. */
  options?: readonly { value: string; label: string }[];
  /** How a text is typed. */
  input?: 'date' | 'time' | 'datetime-local';
};

const usual: Record<Answer, readonly string[]> = {
  option: ['choice eq', 'choice one_of', 'string neq'],
  options: ['multi intersects', 'multi contains_all', 'multi subset_of'],
  text: ['string eq', 'string neq', 'string contains', 'choice one_of'],
  number: ['number eq', 'number neq', 'number lt', 'number lte', 'number gt', 'number gte'],
  yes: ['boolean eq'],
  attribute: operators.flatMap(({ id, type }) =>
    /string|number/.test(type) || id === 'boolean eq' || id === 'choice one_of' ? id : [],
  ),
  none: [],
};

/** Types of predicate that can hold of an answer; the others are false whatever it is (runtime.md §3). */
const fitting: Record<Answer, readonly string[]> = {
  option: ['choice', 'string'],
  options: ['multi'],
  text: ['string', 'choice'],
  number: ['number', 'string', 'boolean'],
  yes: ['boolean'],
  attribute: ['string', 'number', 'boolean', 'choice'],
  none: [],
};

/** Tells whether a comparison can hold of what a subject is. What is not known any more is not judged. */
export function fits(subject: Subject | undefined, { type }: Operator): boolean {
  return !subject || fitting[subject.answer].includes(type);
}

/** The operators to choose from for a subject: those that make sense, and the one that it has. */
export function offered(subject: Subject | undefined, current?: Operator): readonly Operator[] {
  const ids = subject ? usual[subject.answer] : [];
  return operators.filter((one) => ids.includes(one.id) || one === current);
}

/** An operator as it reads behind a subject: no comparison holds of what has no answer, also not "is not". */
export function wordsFor({ words }: Operator, { kind }: JsonObject): string {
  if (words !== 'is not') return words;
  return kind === 'builtin' ? words : kind === 'sdk' ? 'is known and is not' : 'is answered and is not';
}
