import { readFileSync } from 'node:fs';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import shape from '../../../manifest/shape/shape.json';
import { type ExpressionContext, evaluateExpression } from '../../../sdk/core/src/flow/expression';
import type { Expression } from '../../../sdk/core/src/manifest/types';
import { canonical } from '../editor/document/canonical';
import type { Json, JsonObject } from '../editor/document/operation';
import { Random } from '../editor/document/TestRandom';
import { type Answer, fits, type Operator, offered, operators, type Subject } from './operators';
import { SentenceEditor } from './SentenceEditor';
import { clauseFor, type Sentence, toExpression, toSentence, valueFor } from './sentence';
import { addPart, joinPart, replacePart, spreadPart } from './tree';
import { conditionWords } from './words';

const types = shape.types as unknown as Record<
  string,
  { oneOf?: { properties: { op: { const: string } } }[]; properties?: { op: { enum: string[] } } }
>;
const comparisons: Record<string, string> = {
  StringComparison: 'string',
  NumberComparison: 'number',
  BooleanComparison: 'boolean',
  ChoiceComparison: 'choice',
  MultiComparison: 'multi',
};

test('every comparison that the manifest has is an operator, and no other', () => {
  const known = Object.entries(comparisons).flatMap(([name, type]) => {
    const { oneOf, properties } = types[name]!;
    const ops = properties?.op.enum ?? oneOf!.map((one) => one.properties.op.const);
    return ops.map((op) => `${type} ${op}`);
  });
  expect(operators.map(({ id }) => id).toSorted()).toEqual(known.toSorted());
});

const variables: JsonObject[] = [
  { kind: 'builtin', name: 'platform' },
  { kind: 'builtin', name: 'locale' },
  { kind: 'sdk', key: 'plan' },
  { kind: 'field', fieldKey: 'goal' },
  { kind: 'field', fieldKey: 'permission:camera' },
];

function predicate(random: Random): JsonObject {
  const { type, op, takes } = random.pick(operators);
  const texts = ['', 'build', '“x” & <b>', '\u{1F600}'];
  const operand: Record<typeof takes, () => JsonObject> = {
    text: () => ({ value: random.pick(texts) }),
    number: () => ({ value: random.pick([0, -1.5, 1e21, 18]) }),
    yes: () => ({ value: random.below(2) === 0 }),
    option: () => ({ optionId: random.pick(texts) }),
    options: () => ({ optionIds: Array.from({ length: 1 + random.below(3) }, () => random.pick(texts)) }),
  };
  const pred = { op, ...operand[takes]() };
  return { kind: 'predicate', variable: random.pick(variables), predicate: { type, pred } };
}

function expression(random: Random, depth: number): JsonObject {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return { kind: 'empty' };
  if (kind < 4) return predicate(random);
  const children = Array.from({ length: 1 + random.below(3) }, () => expression(random, depth - 1));
  return { kind: 'group', op: random.pick(['and', 'or']), children };
}

/** Breaks an expression somewhere, as a draft may be that is not finished or was written by something newer. */
function broken(random: Random, value: Json): Json {
  if (typeof value !== 'object' || value === null || random.below(4) === 0)
    return random.pick<Json>([null, 7, 'odd', [], {}, { kind: 'later', of: [1] }]);
  if (Array.isArray(value)) return value.length > 0 ? [broken(random, value[0]!), ...value.slice(1)] : [null];
  const name = random.pick(Object.keys(value).length > 0 ? Object.keys(value) : ['kind']);
  if (random.below(3) === 0) return { ...(value as JsonObject), note: 'kept' };
  return { ...(value as JsonObject), [name]: broken(random, (value as JsonObject)[name] ?? null) };
}

const unread = (sentence: Sentence): number =>
  sentence.is === 'group'
    ? sentence.parts.reduce((sum, part) => sum + unread(part), 0)
    : Number(sentence.is === 'expression');

describe('there and back is the same JSON', () => {
  test('for every valid expression, all of which is read', () => {
    for (let seed = 0; seed < 500; seed++) {
      const made = expression(new Random(seed), 4);
      const sentence = toSentence(made);
      expect(canonical(toExpression(sentence))).toBe(canonical(made));
      expect(unread(sentence)).toBe(0);
      expect(conditionWords(made, [])).not.toMatch(/undefined|\[object|another kind/);
    }
  });

  test('for what is broken or unknown, which is kept', () => {
    let kept = 0;
    for (let seed = 0; seed < 1000; seed++) {
      const random = new Random(seed);
      const made = broken(random, expression(random, 3));
      const sentence = toSentence(made);
      expect(canonical(toExpression(sentence))).toBe(canonical(made));
      kept += Number(unread(sentence) > 0);
      expect(conditionWords(made, [])).not.toBe('');
    }
    expect(kept).toBeGreaterThan(500);
  });

  test('for the conditions of the examples', () => {
    for (const name of ['all-layers', 'branching-onboarding', 'paywall-flow']) {
      const file = new URL(`../../../manifest/examples/${name}.json`, import.meta.url);
      const found: JsonObject[] = [];
      JSON.parse(readFileSync(file, 'utf8'), (key, value) => {
        if (key === 'expression') found.push(value);
        return value;
      });
      expect(found.length).toBeGreaterThan(0);
      for (const one of found) {
        expect(unread(toSentence(one))).toBe(0);
        expect(canonical(toExpression(toSentence(one)))).toBe(canonical(one));
      }
    }
  });
});

const options = [
  { value: 'lose', label: 'Lose weight' },
  { value: 'build', label: 'Build muscle' },
];
const field = (answer: Answer, more: Partial<Subject> = {}): Subject => {
  return { variable: { kind: 'field', fieldKey: 'it' }, name: 'Goal', group: 'Screen', answer, ...more };
};

/** What a run can have stored for each kind of answer. */
const stored: Record<Exclude<Answer, 'attribute'>, ExpressionContext['responses'][string][]> = {
  option: ['lose', 'build'].map((choiceId) => ({ kind: 'choice', choiceId })),
  options: [[], ['lose'], ['lose', 'build']].map((choiceIds) => ({ kind: 'multiChoice', choiceIds })),
  text: ['lose', 'yes', '1'].map((value) => ({ kind: 'text', value, classification: 'safe' })),
  number: [0, 1, 2.5].map((value) => ({ kind: 'scale', value })),
  yes: [true, false].map((value) => ({ kind: 'checkbox', fieldKey: 'it', value })),
  none: [{ kind: 'bypass_input', via: 'skip' }],
} as never;

function holds(operator: Operator, value: JsonObject[string], response?: ExpressionContext['responses'][string]) {
  const made = toExpression({
    is: 'clause',
    subject: { kind: 'field', fieldKey: 'it' },
    operator,
    value: value as string,
  });
  const responses: ExpressionContext['responses'] = response ? { it: response } : {};
  return evaluateExpression(made as unknown as Expression, {
    locale: 'en',
    platform: 'web',
    sdkAttributes: {},
    responses,
  });
}

const values: Record<Operator['takes'], JsonObject[string][]> = {
  text: ['lose', '1', '2.5', 'no'],
  number: [0, 1, 3],
  yes: [true, false],
  option: ['lose', '1'],
  options: [['lose'], ['lose', 'build']],
};

test('what is offered can hold, and what never can is said so', () => {
  for (const [answer, responses] of Object.entries(stored) as [Exclude<Answer, 'attribute'>, never[]][]) {
    for (const operator of operators) {
      const can = values[operator.takes].some((value) => responses.some((one) => holds(operator, value, one)));
      const offers = offered(field(answer)).includes(operator);
      if (offers) expect([answer, operator.id, can]).toEqual([answer, operator.id, true]);
      if (can && !(answer === 'text' && operator.type === 'boolean'))
        expect([answer, operator.id, fits(field(answer), operator)]).toEqual([answer, operator.id, true]);
      if (fits(field(answer), operator)) expect([answer, operator.id, can]).toEqual([answer, operator.id, true]);
    }
  }
});

test('no comparison holds without an answer, as "is answered and is not" says', () => {
  for (const operator of operators)
    for (const value of values[operator.takes])
      expect([operator.id, holds(operator, value)]).toEqual([operator.id, false]);
});

test('a condition reads as people say it', () => {
  const age: Subject = { ...field('number'), variable: { kind: 'field', fieldKey: 'age' }, name: 'Age' };
  const goal = field('option', { options });
  const subjects = [goal, age];
  const operator = (id: string) => operators.find((one) => one.id === id)!;
  let sentence: Sentence = { is: 'never' };
  expect(conditionWords(toExpression(sentence), subjects)).toBe('No condition yet');
  sentence = addPart(sentence, [], clauseFor(goal, operator('choice eq'), 'build'));
  sentence = addPart(sentence, [], clauseFor(age, operator('number gte'), 18));
  expect(conditionWords(toExpression(sentence), subjects)).toBe('Goal is Build muscle and Age is at least 18');
  const either: Sentence = { is: 'group', match: 'any', parts: [clauseFor(goal), clauseFor(age)] };
  sentence = addPart(sentence, [], either);
  sentence = replacePart(sentence, [0], () => null);
  sentence = replacePart(sentence, [1, 1], () => clauseFor(goal, operator('string neq'), 'gone'));
  expect(conditionWords(toExpression(sentence), subjects)).toBe(
    'Age is at least 18 and (Goal is Lose weight or Goal is answered and is not Lose weight)',
  );
  sentence = replacePart(sentence, [0], () => null);
  sentence = replacePart(sentence, [1], () => null);
  expect(sentence).toEqual(clauseFor(goal));
  expect(replacePart(sentence, [], () => null)).toEqual({ is: 'never' });
  expect(conditionWords(toExpression(clauseFor(field('yes'), undefined)), [])).toBe('It is yes');
});

test('another operator keeps what it can of the value', () => {
  const goal = field('option', { options });
  const [is, , oneOf] = offered(goal);
  expect(valueFor(oneOf!, goal, 'build')).toEqual(['build']);
  expect(valueFor(is!, goal, ['build', 'lose'])).toBe('build');
  expect(valueFor(is!, goal, 'gone')).toBe('lose');
  const number = offered(field('number'))[0]!;
  expect(valueFor(number, field('number'), '12')).toBe(12);
  expect(valueFor(number, field('number'), 'twelve')).toBe(0);
  expect(valueFor(number, field('number'), '')).toBe(0);
});

describe('every expression of the manifest is changed in its editor', () => {
  const drawn = (expression: JsonObject, subjects: readonly Subject[]) =>
    renderToStaticMarkup(
      createElement(SentenceEditor, { label: 'It', expression, subjects, change: () => {}, done: () => {} }),
    );
  const answers: Answer[] = ['option', 'options', 'text', 'number', 'yes', 'attribute', 'none'];

  test.each(operators.map((one) => [one.id, one] as const))('%s, whatever is compared', (_, operator) => {
    for (const answer of answers)
      for (const known of [undefined, options]) {
        const subject = field(answer, known && { options: known });
        const made = toExpression(clauseFor(subject, operator));
        for (const subjects of [[subject], []]) {
          const markup = drawn(made, subjects);
          for (const control of ['What', 'How', 'Value']) expect(markup).toContain(`aria-label="${control}`);
          expect(markup).toMatch(new RegExp(`<option value="${operator.id}" selected=""`));
          expect(markup).not.toContain('Kept as it is');
          expect(markup.includes('This can never hold')).toBe(subjects.length > 0 && !fits(subject, operator));
        }
      }
  });

  test('each operator is offered for some answer; “is not yes” is “is no”', () => {
    const offers = new Set(answers.flatMap((answer) => offered(field(answer)).map(({ id }) => id)));
    expect(operators.filter(({ id }) => !offers.has(id)).map(({ id }) => id)).toEqual(['boolean neq']);
  });

  test('groups in groups, with what is never or unknown written anew', () => {
    const goal = field('option', { options });
    const inner = { kind: 'group', op: 'or', children: [toExpression(clauseFor(goal)), { kind: 'empty' }] };
    const unknown = { kind: 'later' };
    let nested: JsonObject = inner;
    for (let level = 0; level < 6; level++) nested = { kind: 'group', op: 'and', children: [nested, unknown] };
    const markup = drawn(nested, [goal]);
    expect(markup.match(/aria-label="Replace: never"|aria-label="Replace: Never"/g)).toHaveLength(1);
    expect(markup.match(/aria-label="Replace: a condition of another kind"/g)).toHaveLength(6);
    expect(markup.match(/Ungroup/g)).toHaveLength(6);
  });
});

test('rows are put together in groups and taken apart, and mean what they read', () => {
  const goal = field('option', { options });
  const age: Subject = { ...field('number'), variable: { kind: 'field', fieldKey: 'age' }, name: 'Age' };
  const plan: Subject = { ...field('attribute'), variable: { kind: 'sdk', key: 'plan' }, name: 'Plan' };
  const subjects = [goal, age, plan];
  const read = (sentence: Sentence) => conditionWords(toExpression(sentence), subjects);
  const three: Sentence = { is: 'group', match: 'all', parts: subjects.map((one) => clauseFor(one)) };
  const last = joinPart(three, [], 2);
  expect(read(last)).toBe('Goal is Lose weight and (Age is 0 or Plan is “”)');
  expect(spreadPart(last, [1])).toEqual(three);
  expect(read(joinPart(three, [], 1))).toBe('(Goal is Lose weight or Age is 0) and Plan is “”');
  // A row goes into the group beside it; with all in one group, that is the condition.
  expect(read(joinPart(last, [], 1))).toBe('Goal is Lose weight or Age is 0 or Plan is “”');
  expect(read(joinPart(joinPart(three, [], 1), [], 1))).toBe('Goal is Lose weight or Age is 0 or Plan is “”');
  const deep = addPart(last, [1], joinPart(three, [], 1));
  expect(read(joinPart(deep, [1], 2))).toBe(
    'Goal is Lose weight and (Age is 0 or (Plan is “” and (Goal is Lose weight or Age is 0) and Plan is “”))',
  );
  for (const [path, at] of [
    [[], 0],
    [[], 3],
    [[0], 1],
    [[7], 1],
  ] as const)
    expect(joinPart(three, path, at)).toEqual(three);
  expect(spreadPart(three, [])).toEqual(three);
  expect(spreadPart(three, [0])).toEqual(three);
});
