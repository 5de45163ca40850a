import { describe, expect, test } from 'vitest';
import {
  addStep,
  branchesOf,
  changeStep,
  type Definition,
  mayMoveDown,
  moveDown,
  newStep,
  placeOf,
  readDefinition,
  removeStep,
  type Spot,
  stepTypes,
  targetOf,
} from './edit';

const empty: Definition = { trigger: { type: 'manual' }, nodes: [] };

test('a place of a problem is a step or the trigger, with its member', () => {
  const step = { id: 'hello', type: 'email' };
  const definition = { ...empty, nodes: [step] };
  expect(placeOf(definition, '/nodes/0/subject')).toEqual({ step, member: 'subject' });
  expect(placeOf(definition, '/nodes/0/if/all/0/property')).toEqual({ step, member: 'if all 0 property' });
  expect(placeOf(definition, '/trigger/event')).toEqual({ member: 'event' });
  expect(placeOf(definition, '/nodes/7')).toEqual({ member: '' });
  expect(placeOf(definition, '')).toEqual({ member: '' });
});

/** Every target exists, every step is reached from the first one, ids differ, and nothing leads in circles. */
function check({ nodes }: Definition) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  expect(byId.size).toBe(nodes.length);
  const seen = new Set<string>();
  const visit = (id: string, path: readonly string[]) => {
    expect(path, 'a circle').not.toContain(id);
    const node = byId.get(id)!;
    expect(node, id).toBeDefined();
    seen.add(id);
    for (const branch of branchesOf(node)) {
      const to = targetOf(node, branch);
      if (to) visit(to, [...path, id]);
    }
  };
  if (nodes[0]) visit(nodes[0].id, []);
  expect(seen.size).toBe(nodes.length);
}

test('whatever is added, moved and removed, each step is reached and leads to steps that are there', () => {
  let state = 7;
  const below = (most: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
  for (let run = 0; run < 60; run++) {
    let definition = empty;
    for (let turn = 0; turn < 25; turn++) {
      const node = definition.nodes[below(definition.nodes.length + 1)];
      const branches = node ? branchesOf(node) : [];
      const act = below(5);
      if (act === 0 && node) definition = removeStep(definition, node.id);
      else if (act === 1 && node) {
        const may = mayMoveDown(definition, node.id);
        const moved = moveDown(definition, node.id);
        expect(moved.nodes.length).toBe(definition.nodes.length);
        expect(moved === definition).toBe(!may);
        definition = moved;
      } else if (!node || branches.length > 0) {
        const spot: Spot = node ? { after: node.id, branch: branches[below(branches.length)]! } : { branch: 'next' };
        const type = stepTypes[below(stepTypes.length)]!;
        const before = definition.nodes.length;
        definition = addStep(definition, spot, newStep(definition, type, undefined));
        if (type !== 'exit') expect(definition.nodes.length).toBe(before + 1);
      }
      check(definition);
    }
  }
});

describe('a line with a branch', () => {
  const line = ['delay', 'condition', 'email'] as const;
  let built = empty;
  let after: Spot = { branch: 'next' };
  for (const type of line) {
    const step = newStep(built, type, undefined);
    built = addStep(built, after, step);
    after = { after: step.id, branch: branchesOf(step)[0]! };
  }

  test('is built from the top', () => {
    expect(built.nodes.map(({ id }) => id)).toEqual(['delay-1', 'condition-1', 'email-1']);
    expect(targetOf(built.nodes[1]!, 'then')).toBe('email-1');
    expect(targetOf(built.nodes[1]!, 'else')).toBeUndefined();
  });

  test('keeps what comes on the first branch of a removed step, and drops the other branch', () => {
    const other = addStep(built, { after: 'condition-1', branch: 'else' }, newStep(built, 'exit', undefined));
    const left = removeStep(other, 'condition-1');
    expect(left.nodes.map(({ id }) => id)).toEqual(['delay-1', 'email-1']);
    expect(targetOf(left.nodes[0]!, 'next')).toBe('email-1');
  });

  test('begins with the next step when the first one is removed', () => {
    expect(removeStep(built, 'delay-1').nodes[0]!.id).toBe('condition-1');
    expect(removeStep(removeStep(removeStep(built, 'delay-1'), 'condition-1'), 'email-1').nodes).toEqual([]);
  });

  test('keeps members that the editor does not know', () => {
    const known = readDefinition({
      trigger: { type: 'manual', later: 1 },
      nodes: built.nodes,
      marketing: true,
      later: [2],
    });
    const changed = changeStep(known, { ...known.nodes[0]!, later: 3 });
    expect(changed).toMatchObject({ trigger: { later: 1 }, marketing: true, later: [2] });
    expect(changed.nodes[0]!.later).toBe(3);
  });
});

test('a draft that is no definition begins anew', () => {
  for (const draft of [null, 7, 'x', [], {}, { nodes: 3 }]) expect(readDefinition(draft).nodes).toEqual([]);
});
