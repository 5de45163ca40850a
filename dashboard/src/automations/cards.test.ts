import { expect, test } from 'vitest';
import { cardName, problemPlace } from './cards';
import { readCondition, writeCondition } from './condition';

const plan = { of: 'event', property: 'plan', op: 'eq', value: 'pro' };
const definition = {
  trigger: { type: 'event', event: 'x', where: { all: [plan, plan] } },
  nodes: [
    { id: 'c', type: 'condition', if: { all: [{ of: 'event', property: '', op: 'exists' }] } },
    { id: 'email-1', type: 'email', subject: 'Hello', body: '' },
    { id: 'email-2', type: 'email', subject: '', body: '' },
    { id: 'split-1', type: 'split', arms: [{ weight: 1 }, { weight: -1 }] },
    { id: 'webhook-1', type: 'webhook', endpointId: 'e', messageType: 'hi' },
    { id: 'wait-1', type: 'waitForEvent', event: 'y', timeoutSeconds: 3600, where: { any: [plan] } },
  ],
};
const endpoints = new Map([['e', 'Server']]);

test.each([
  ['/nodes/0/if/all/0/property', 'Condition “event.… is known?”: row 1 property'],
  ['/nodes/1/subject', 'Email “Hello”: subject'],
  ['/nodes/2/subject', 'Email: subject'],
  ['/nodes/3/arms/1/weight', 'Random split: branch 2 weight'],
  ['/nodes/4/endpointId', 'Send hi to Server: destination'],
  ['/nodes/5/where/any/0/value', 'Wait 1h 00m for y: condition, row 1 value'],
  ['/trigger/where/all/1/op', 'Trigger: condition, row 2 operator'],
  ['/trigger', 'Trigger'],
  ['', 'Workflow'],
])('the place %s is %s', (pointer, words) => {
  expect(problemPlace(definition, pointer, endpoints)).toBe(words);
});

test('a card that a definition does not have keeps its id', () => {
  expect(cardName(definition, 'email-1', endpoints)).toBe('Email “Hello”');
  expect(cardName(definition, 'gone', endpoints)).toBe('gone');
  expect(cardName(undefined, 'gone', endpoints)).toBe('gone');
});

test.each([
  plan,
  { all: [plan] },
  { any: [plan, { all: [plan, { of: 'person', property: 'email', op: 'exists' }] }] },
  { not: plan },
  { ...plan, more: 1 },
  { any: [plan], all: [plan] },
  'nonsense',
  null,
])('the condition %j is written as it was read', (condition) => {
  expect(writeCondition(readCondition(condition))).toEqual(condition);
});

test('a condition without rows is none', () => {
  expect(readCondition({ all: [] })).toEqual({ is: 'never' });
  expect(writeCondition({ is: 'never' })).toBeUndefined();
});
