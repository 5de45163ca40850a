import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { open } from './document/document';
import { Editor } from './document/editor';
import { subjectsOf } from './subjects';

const example = (name: string) =>
  open(JSON.parse(readFileSync(new URL(`../../../manifest/examples/${name}.json`, import.meta.url), 'utf8')));

test('every question of a flow is a subject by what it answers, with its options in words', () => {
  const subjects = subjectsOf(example('branching-onboarding'));
  const named = new Map(subjects.map((one) => [one.name, one]));
  expect(named.get('Goal')).toMatchObject({ answer: 'option', variable: { kind: 'field', fieldKey: 'goal' } });
  for (const { value, label } of named.get('Goal')!.options!) expect(label).not.toBe(value);
  expect(named.get('Symptoms')).toMatchObject({ answer: 'options' });
  expect(named.get('Beta user')).toMatchObject({ answer: 'attribute', group: 'Attributes of the app' });
  expect(named.get('Platform')!.options).toHaveLength(3);
  const keys = subjects.map(({ variable }) => JSON.stringify(variable));
  expect(new Set(keys).size).toBe(keys.length);
});

test('at a layer, what is asked behind it on its screen is left out', () => {
  const document = example('branching-onboarding');
  const all = subjectsOf(document);
  const names = (at: string) => subjectsOf(document, at).map(({ name }) => name);
  const goal = [...document.parents.keys()].find((id) => id.startsWith('lyr_') && names(id).length < all.length)!;
  expect(goal).toBeDefined();
  for (const name of names(goal)) expect(all.map((one) => one.name)).toContain(name);
  expect(names('flow')).toEqual(all.map(({ name }) => name));
});

test('what a screen asks is found anew once the screen is another', () => {
  const editor = Editor.open(
    readFileSync(new URL('../../../manifest/examples/branching-onboarding.json', import.meta.url), 'utf8'),
  );
  const keys = () => subjectsOf(editor.document).map(({ variable }) => variable.fieldKey);
  expect(keys()).toContain('goal');
  const question = [...editor.document.parents.keys()].find((id) => editor.object(id)?.fieldKey === 'goal')!;
  editor.runStep({ name: '', operations: [{ op: 'set', node: question, path: ['fieldKey'], value: 'aim' }] });
  expect(keys()).toContain('aim');
  expect(keys()).not.toContain('goal');
});
