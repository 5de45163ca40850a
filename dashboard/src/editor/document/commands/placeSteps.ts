import { type Document, nodeOf } from '../document';
import type { Command } from '../editor';
import type { NodeId, Operation } from '../operation';
import { label } from '../words';

/** Where a step stands in the graph: its upper left corner, in pixels. */
export type Point = { x: number; y: number };

/** Puts steps where a person drags them. `end` has a place too. */
export const moveSteps: Command<{ places: ReadonlyMap<NodeId, Point>; gesture?: string }> = {
  id: 'move-steps',
  when: (_, { places }) => places.size > 0 || 'Select a step to move',
  build({ document }, { places, gesture }) {
    const ids = [...places.keys()];
    const name = `Move ${ids.length > 1 ? `${ids.length} steps` : ids[0] === 'end' ? 'the end' : label(document, ids[0]!)}`;
    return {
      step: { name, operations: [...places].flatMap(([id, at]) => placing(document, id, at)) },
      select: undefined,
      gesture,
    };
  },
};

/** Forgets where people put steps, all or some of them: the layout places them. */
export const tidySteps: Command<{ steps?: readonly NodeId[] }> = {
  id: 'tidy-steps',
  when: ({ document }, { steps }) =>
    givenPlaces(document, steps).length > 0 || 'Everything stands where the layout puts it',
  build: ({ document }, { steps }) => ({
    step: {
      name: 'Tidy up the graph',
      operations: givenPlaces(document, steps).map((node) => ({ op: 'remove', node })),
    },
  }),
};

/** Starts the flow with a step. */
export const startWith: Command<{ step: NodeId }> = {
  id: 'start-with',
  when({ document }, { step }) {
    if (!nodeOf(document, step)) return 'The step was removed';
    return document.flow.entryScreenId !== step || 'The flow starts here already';
  },
  build: ({ document }, { step }) => ({
    step: {
      name: `Start with ${label(document, step)}`,
      operations: [{ op: 'set', node: 'flow', path: ['entryScreenId'], value: step }],
    },
  }),
};

export const placeOf = (step: NodeId): NodeId => `flow/layout/${step}`;

function givenPlaces(document: Document, steps: readonly NodeId[] | undefined): NodeId[] {
  const given = [...document.parents].filter(([, { slot, parent }]) => slot === 'layout' && parent === 'flow');
  const ids = given.map(([id]) => id);
  return steps ? ids.filter((id) => steps.some((step) => placeOf(step) === id)) : ids;
}

function placing(document: Document, step: NodeId, at: Point): Operation[] {
  const node = placeOf(step);
  if (!document.parents.has(node)) return [placed(step, at)];
  return (['x', 'y'] as const).map((axis) => ({ op: 'set', node, path: [axis], value: at[axis] }));
}

/** What gives a step its first place. */
export function placed(step: NodeId, { x, y }: Point): Operation {
  return { op: 'insert', parent: 'flow', slot: 'layout', subtree: { id: step, x, y }, after: null, before: null };
}
