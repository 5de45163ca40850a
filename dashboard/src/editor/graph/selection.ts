import { type Document, nodeOf } from '../document/document';
import { isStep, stepOf } from '../document/exits';
import type { NodeId } from '../document/operation';
import type { Selection } from '../document/selection';

/** The steps that a selection shows in the graph: those that its nodes are or stand in, else its screen. */
export function selectedSteps(document: Document, { screen, nodes }: Selection): ReadonlySet<NodeId> {
  const steps = nodes.flatMap((id) => stepOf(document, id)?.id ?? []);
  return new Set(steps.length > 0 || screen === null ? steps : [screen]);
}

/** Selects steps: one screen as Design selects it. What is no step of the document is left out. */
export function selectionOf(document: Document, ids: readonly NodeId[]): Partial<Selection> {
  const steps = ids.flatMap((id) => nodeOf(document, id) ?? []).filter(({ kind }) => isStep(kind));
  const [only] = steps;
  if (steps.length === 1 && only!.kind === 'screen') return { screen: only!.id };
  return { nodes: steps.map(({ id }) => id) };
}
