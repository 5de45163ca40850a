import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonical, find } from '../canonical';
import type { Flow } from '../document';
import { end, exitOf, exitsOf, goesTo, stepsOf, writtenEnd } from '../exits';
import type { Json } from '../operation';
import { TestEditor } from '../TestEditor';
import { addStep } from './addStep';
import { connect, disconnect } from './connect';
import { moveSteps, startWith, tidySteps } from './placeSteps';
import { removeSteps } from './removeSteps';

const example = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../../manifest/examples/${name}.json`, import.meta.url), 'utf8')) as Flow;
const paywall = example('paywall-flow');

const button = (id: string, action: Json) => ({
  id,
  kind: 'button',
  name: id,
  variant: 'primary',
  action,
  children: [],
});
const face = (id: string, words: string) => ({
  id,
  kind: 'stack',
  direction: 'vertical',
  children: [{ id: `${id}_text`, kind: 'text', text: { default: words } }],
});
const screen = (id: string, next: Json, children: Json[] = []) => ({
  id,
  name: id.slice(4).toUpperCase(),
  next: { default: next },
  regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children } },
});

/** A line a → b → c, with a decision beside it and one of each thing that leads out of a screen. */
const line: Flow = {
  entryScreenId: 'scr_a',
  screens: [
    screen('scr_a', 'scr_b', [
      button('lyr_go', { kind: 'go_to_step', screenId: 'scr_c' }),
      button('lyr_on', { kind: 'continue' }),
      button('lyr_ask', {
        kind: 'request_os_permission',
        permissionKey: 'notifications',
        outcomes: { granted: 'continue', denied: 'scr_b', blocked: 'end' },
      }),
      { id: 'lyr_back', kind: 'back_button', variant: 'ghost', fallbackScreenId: 'scr_b', children: [] },
      { id: 'lyr_wait', kind: 'loader', onComplete: { mode: 'screen', screenId: 'scr_b' } },
      {
        id: 'lyr_goal',
        kind: 'single_choice',
        fieldKey: 'goal',
        children: [face('lyr_o1', 'Run'), face('lyr_o2', 'Swim')],
        optionBindings: [
          { optionId: 'my run', rootLayerId: 'lyr_o1' },
          { optionId: 'swim', rootLayerId: 'lyr_o2' },
        ],
        branching: { enabled: true, conditions: [{ choiceId: 'my run', goTo: 'scr_b' }] },
      },
    ]),
    screen('scr_b', 'scr_c'),
    screen('scr_c', null),
  ],
  decisionNodes: [
    {
      id: 'dec_1',
      name: 'Which',
      cases: [{ id: 'one', expression: { kind: 'empty' }, next: 'scr_b' }],
      elseNext: 'scr_c',
    },
  ],
  externalSurfaceNodes: [
    {
      id: 'surf_1',
      name: 'Paywall',
      config: { provider: 'superwall' },
      outcomes: { purchase_completed: 'scr_b' },
      fallback: 'scr_b',
    },
  ],
};

const ways = (page: TestEditor) =>
  Object.fromEntries(
    stepsOf(page.editor.document).map((step) => [
      step.id,
      Object.fromEntries(exitsOf(step).flatMap(({ id, to }) => (to === undefined ? [] : [[id, to]]))),
    ]),
  );

function undoAll(page: TestEditor, flow: Flow, times = 1) {
  for (let i = 0; i < times; i++) page.undo();
  expect(page.editor.canUndo).toBeUndefined();
  expect(canonical(page.editor.document.flow)).toBe(canonical(flow));
}

test('exits are read from every thing that leads out of a step', () => {
  expect(ways(TestEditor.open(line))).toEqual({
    scr_a: {
      'next scr_a': 'scr_b',
      'button lyr_go': 'scr_c',
      'permission lyr_ask denied': 'scr_b',
      'permission lyr_ask blocked': end,
      'back lyr_back': 'scr_b',
      'complete lyr_wait': 'scr_b',
      'option lyr_goal my run': 'scr_b',
    },
    scr_b: { 'next scr_b': 'scr_c' },
    scr_c: { 'next scr_c': end },
    dec_1: { 'case dec_1/cases/one': 'scr_b', 'else dec_1': 'scr_c' },
    surf_1: { 'outcome surf_1 purchase_completed': 'scr_b', 'fallback surf_1': 'scr_b' },
  });
  const { document } = TestEditor.open(line).editor;
  expect(goesTo(document, exitOf(document, 'button lyr_on')!)).toBe('scr_b');
  expect(goesTo(document, exitOf(document, 'outcome surf_1 failed')!)).toBe('scr_b');
  expect(exitOf(document, 'button lyr_lost')).toBeUndefined();
});

describe('connect', () => {
  test.each([
    ['next scr_a', 'lyr', ['next', 'default'], 'dec_1'],
    ['next scr_a', '', ['next', 'default'], null],
    ['button lyr_on', '', ['action'], { kind: 'go_to_step', screenId: 'dec_1' }],
    ['button lyr_on', '', ['action'], { kind: 'end_flow' }],
    ['permission lyr_ask granted', '', ['action', 'outcomes', 'granted'], 'dec_1'],
    ['permission lyr_ask granted', '', ['action', 'outcomes', 'granted'], 'end'],
    ['complete lyr_wait', '', ['onComplete'], { mode: 'screen', screenId: 'dec_1' }],
    ['case dec_1/cases/one', '', ['next'], 'surf_1'],
    ['case dec_1/cases/one', '', ['next'], writtenEnd],
    ['outcome surf_1 failed', '', ['outcomes', 'failed'], 'dec_1'],
    ['fallback surf_1', '', ['fallback'], writtenEnd],
  ])('%s%.0s writes %j', (exit, _, path, value) => {
    const page = TestEditor.open(line);
    const text = JSON.stringify(value);
    const to = ['dec_1', 'surf_1'].find((id) => text.includes(id)) ?? end;
    expect(page.run(connect, { exit, to }).said).toBe(true);
    const { node } = exitOf(page.editor.document, exit)!;
    expect(find(page.editor.object(node), path)).toEqual(value);
    expect(exitOf(page.editor.document, exit)!.to).toBe(to);
    undoAll(page, line);
  });

  test('an option gets a condition of its own, and those that were switched off stay off', () => {
    const page = TestEditor.open(line).run(connect, { exit: 'option lyr_goal swim', to: 'dec_1' });
    expect(page.editor.object('lyr_goal')!.branching).toEqual({
      enabled: true,
      conditions: [
        { choiceId: 'my run', goTo: 'scr_b' },
        { choiceId: 'swim', goTo: 'dec_1' },
      ],
    });
    expect(page.editor.canUndo).toBe('Lead “Swim” of “A” to “Which”');
    undoAll(page, line);
    page.set('lyr_goal', ['branching', 'enabled'], false).run(connect, { exit: 'option lyr_goal swim', to: 'scr_c' });
    expect(page.editor.object('lyr_goal')!.branching).toEqual({
      enabled: true,
      conditions: [{ choiceId: 'swim', goTo: 'scr_c' }],
    });
    undoAll(page, line, 2);
  });

  test('says what can not be', () => {
    const page = TestEditor.open(line);
    const said = (exit: string, to: string) => page.run(connect, { exit, to }).said;
    expect(said('next scr_a', 'scr_a')).toBe("A step can't lead to itself");
    expect(said('next scr_a', 'scr_b')).toBe('It leads there already');
    expect(said('next scr_a', 'lyr_go')).toBe('The step was removed');
    expect(said('next scr_x', 'scr_a')).toBe('This way out was removed');
    expect(said('back lyr_back', 'dec_1')).toBe('A way back leads to a screen');
    expect(said('back lyr_back', end)).toBe('A way back leads to a screen');
    expect(said('option lyr_goal swim', end)).toMatch(/^Only screens/);
    expect(said('complete lyr_wait', end)).toMatch(/^Only screens/);
    expect(page.editor.canUndo).toBeUndefined();
  });
});

test('a way that is taken away goes the way of its step', () => {
  const page = TestEditor.open(line);
  const before = ways(page);
  const all = Object.values(before).flatMap((exits) => Object.keys(exits));
  for (const exit of all) {
    if (exit === 'next scr_c') continue;
    expect([exit, page.run(disconnect, { exit }).said]).toEqual([exit, true]);
  }
  expect(ways(page)).toEqual({
    scr_a: { 'next scr_a': end },
    scr_b: { 'next scr_b': end },
    scr_c: { 'next scr_c': end },
    dec_1: {},
    surf_1: {},
  });
  expect(page.editor.object('lyr_go')!.action).toEqual({ kind: 'continue' });
  expect(page.editor.object('lyr_back')).not.toHaveProperty('fallbackScreenId');
  expect(page.editor.object('lyr_goal')!.branching).toEqual({ enabled: false, conditions: [] });
  expect(page.run(disconnect, { exit: 'next scr_c' }).said).toMatch(/where the flow ends$/);
  expect(page.run(disconnect, { exit: 'button lyr_on' }).said).toBe('It leads nowhere already');
  undoAll(page, line, all.length - 1);
});

describe('a step that is added', () => {
  test('stands on the way that it is added on', () => {
    const page = TestEditor.open(line).run(addStep, { kind: 'screen', on: 'next scr_a', at: { x: 8, y: 16 } });
    const id = page.editor.selection.screen!;
    expect(ways(page).scr_a!['next scr_a']).toBe(id);
    expect(ways(page)[id]).toEqual({ [`next ${id}`]: 'scr_b' });
    expect(page.editor.object(`flow/layout/${id}`)).toEqual({ id, x: 8, y: 16 });
    expect(stepsOf(page.editor.document).filter(({ kind }) => kind === 'screen')[1]!.id).toBe(id);
    undoAll(page, line);
  });

  test('as a decision has a case and an else that lead where the way led', () => {
    const page = TestEditor.open(line).run(addStep, { kind: 'decision', on: 'button lyr_on' });
    const [id] = page.editor.selection.nodes;
    expect(Object.values(ways(page)[id!]!)).toEqual(['scr_b', 'scr_b']);
    expect(page.editor.object('lyr_on')!.action).toEqual({ kind: 'go_to_step', screenId: id });
    undoAll(page, line);
    expect(page.run(addStep, { kind: 'decision', on: 'back lyr_back' }).said).toBe('A way back leads to a screen');
  });

  test('as a paywall leads otherwise where the way led, and says who shows it later', () => {
    const page = TestEditor.open(line).run(addStep, { kind: 'surface', on: 'button lyr_on' });
    const [id] = page.editor.selection.nodes;
    expect(page.editor.object(id!)).toMatchObject({ config: { provider: 'unspecified' }, fallback: 'scr_b' });
    expect(page.editor.object('lyr_on')!.action).toEqual({ kind: 'go_to_step', screenId: id });
    undoAll(page, line);
  });

  test('by itself ends the flow, and is its start when it is the first', () => {
    const empty: Flow = { screens: [] };
    const page = TestEditor.open(empty).run(addStep, { kind: 'screen' });
    const id = page.editor.selection.screen!;
    expect(page.editor.document.flow.entryScreenId).toBe(id);
    expect(ways(page)).toEqual({ [id]: { [`next ${id}`]: end } });
    undoAll(page, empty);
  });
});

describe('a step that is removed', () => {
  test('leaves the line whole', () => {
    const page = TestEditor.open(line).run(removeSteps, { steps: ['scr_b'] });
    expect(ways(page)).toEqual({
      scr_a: {
        'next scr_a': 'scr_c',
        'button lyr_go': 'scr_c',
        'permission lyr_ask denied': 'scr_c',
        'permission lyr_ask blocked': end,
        'back lyr_back': 'scr_c',
        'complete lyr_wait': 'scr_c',
        'option lyr_goal my run': 'scr_c',
      },
      scr_c: { 'next scr_c': end },
      dec_1: { 'case dec_1/cases/one': 'scr_c', 'else dec_1': 'scr_c' },
      surf_1: { 'outcome surf_1 purchase_completed': 'scr_c', 'fallback surf_1': 'scr_c' },
    });
    expect(canonical(page.editor.document.flow)).not.toContain('"scr_b"');
    undoAll(page, line);
  });

  test('with others leads on to what is left; a decision with two ways leads nowhere in its place', () => {
    const page = TestEditor.open(line).run(removeSteps, { steps: ['scr_b', 'scr_c'] });
    expect(ways(page)).toEqual({
      scr_a: {
        'next scr_a': end,
        'button lyr_go': end,
        'permission lyr_ask denied': end,
        'permission lyr_ask blocked': end,
      },
      dec_1: { 'case dec_1/cases/one': end, 'else dec_1': end },
      surf_1: { 'outcome surf_1 purchase_completed': end, 'fallback surf_1': end },
    });
    expect(page.editor.canUndo).toBe('Remove 2 steps');
    undoAll(page, line);
    page.run(connect, { exit: 'next scr_a', to: 'dec_1' }).run(removeSteps, { steps: ['dec_1'] });
    expect(ways(page).scr_a!['next scr_a']).toBe(end);
    undoAll(page, line, 2);
    page.run(startWith, { step: 'surf_1' }).run(removeSteps, { steps: ['surf_1'] });
    expect(page.editor.document.flow.entryScreenId).toBe('scr_b');
    undoAll(page, line, 2);
  });

  test('keeps one screen, and goes in no circle', () => {
    const page = TestEditor.open(line);
    const said = (...steps: string[]) => page.run(removeSteps, { steps }).said;
    expect(said('scr_a', 'scr_b', 'scr_c')).toBe('A flow keeps one screen');
    expect(said()).toBe('Select a step to remove');
    expect(said('lyr_go')).toBe('The step was removed');
    const circle: Flow = {
      entryScreenId: 'scr_a',
      screens: [screen('scr_a', 'scr_b'), screen('scr_b', 'scr_c'), screen('scr_c', 'scr_b')],
    };
    const round = TestEditor.open(circle).run(removeSteps, { steps: ['scr_b', 'scr_c'] });
    expect(ways(round)).toEqual({ scr_a: { 'next scr_a': end } });
    undoAll(round, circle);
  });

  test('of an example leaves nothing that names it', () => {
    const { document } = TestEditor.open(paywall).editor;
    for (const { id } of stepsOf(document)) {
      const page = TestEditor.open(paywall).run(removeSteps, { steps: [id] });
      expect(page.said).toBe(true);
      expect(canonical(page.editor.document.flow)).not.toContain(`"${id}"`);
      undoAll(page, paywall);
    }
  });
});

test('steps are moved as one undo a drag, and forget it', () => {
  const page = TestEditor.open(line);
  const places = (x: number) =>
    new Map([
      ['scr_a', { x, y: 0 }],
      ['end', { x: 2, y: 3 }],
    ]);
  page.run(moveSteps, { places: places(1), gesture: 'drag' }).run(moveSteps, { places: places(5), gesture: 'drag' });
  expect(page.editor.object('flow/layout/scr_a')).toEqual({ id: 'scr_a', x: 5, y: 0 });
  expect(page.editor.canUndo).toBe('Move 2 steps');
  undoAll(page, line);
  expect(page.run(tidySteps, {}).said).toBe('Everything stands where the layout puts it');
  page.run(moveSteps, { places: places(1) }).run(tidySteps, { steps: ['scr_a'] });
  expect(find(page.editor.document.flow, ['builderMeta', 'layout', 'nodes'])).toEqual([{ id: 'end', x: 2, y: 3 }]);
  page.run(tidySteps, {});
  expect(find(page.editor.document.flow, ['builderMeta', 'layout', 'nodes'])).toEqual([]);
  undoAll(page, line, 3);
  expect(page.run(startWith, { step: 'scr_a' }).said).toBe('The flow starts here already');
});
