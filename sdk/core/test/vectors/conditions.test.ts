import { expect, it } from 'vitest';
import { evaluateExpression } from '../../src/flow/expression';
import type { InputResponse } from '../../src/flow/responses';
import type { Expression } from '../../src/manifest/types';
import { vectors } from '../support/vectors';

interface ConditionVector {
  name: string;
  expression: Expression;
  holds: boolean;
  answer?: { response: InputResponse };
}

// The draft simulator, which reads answers from recorded events, is held to the same.
it.each(vectors<ConditionVector[]>('conditions'))('condition: $name', ({ expression, holds, answer }) => {
  const responses: Record<string, InputResponse> = answer ? { q: answer.response } : {};
  const context = { locale: 'de-DE', platform: 'ios', sdkAttributes: {}, responses };
  expect(evaluateExpression(expression, context)).toBe(holds);
});
