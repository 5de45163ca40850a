import { expect, test } from 'vitest';
import { renderTemplate } from '../../../../../sdk/core/src/flow/template';
import { spliced, templateFor, templatesIn } from './templates';

const context = {
  manifest: { screens: [] } as never,
  responses: { first_name: { kind: 'text', value: '', classification: 'safe' } } as never,
  customProperties: { plan: 'Pro' },
  locale: 'en',
};

test('what a text shows is found as the SDKs find it', () => {
  expect(templatesIn('Hi {{first_name|default:you}}, {{ custom.plan }} and {{goal.id | DEFAULT : "x | y"}}')).toEqual([
    { from: 3, to: 29, key: 'first_name', fallback: 'you' },
    { from: 31, to: 48, key: 'custom.plan', fallback: '' },
    { from: 53, to: 84, key: 'goal.id', fallback: 'x | y' },
  ]);
  expect(templatesIn('{{ never closed, } } {')).toEqual([]);
});

test.each(['', 'you', 'say "hi"', "it's", '"', 'a | b', '}}', 'a }}} b', '{{', 'default: x', ' '])(
  'a fallback shows as it is written: %s',
  (fallback) => {
    const text = `Hi ${templateFor('first_name', fallback)}!`;
    const [only, ...others] = templatesIn(text);
    expect(others).toEqual([]);
    expect(only!.key).toBe('first_name');
    const shown = fallback.replaceAll('}}', '} }').replaceAll('}}', '} }');
    expect(only!.fallback).toBe(shown);
    expect(renderTemplate(text, context)).toBe(`Hi ${shown}!`);
    expect(spliced(text, only!, 'Anna')).toBe('Hi Anna!');
  },
);
