import type { Document } from '../document/document';
import { type Selection, screenOf } from '../document/selection';
import type { DraftProblem } from './queries';

type Place = {
  /** What shows it; undefined where either does. */
  mode: 'design' | 'graph' | undefined;
  select: Selection;
};

/** Tells where a problem is seen and fixed, as far as that is still there: its layer, else its step, else the flow. */
export function placeOf(document: Document, { stepId, layerId }: Pick<DraftProblem, 'stepId' | 'layerId'>): Place {
  const id = [layerId, stepId].find((one) => document.parents.has(one));
  if (id === undefined) return { mode: undefined, select: { screen: null, nodes: [] } };
  const screen = screenOf(document, id);
  return { mode: screen ? 'design' : 'graph', select: { screen, nodes: id === screen ? [] : [id] } };
}
