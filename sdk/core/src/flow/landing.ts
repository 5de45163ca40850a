import type { FlowManifest, FlowTarget } from '../manifest/types';
import { clauseDigest } from './digest';
import { type ExpressionContext, evaluateExpression } from './expression';
import { findExternalSurface, findScreen } from './state';

/** Target that says "the flow ends here" where null cannot be told from "missing". */
export const SURFACE_NO_NEXT = '__onb_surface_no_next__';

export interface DecisionTelemetry {
  decisionNodeId: string;
  /** Null when no case matched and the else branch was taken. */
  matchedCaseId: string | null;
  /** `else` for the else branch. */
  clauseDigest: string;
}

/** What went wrong on the way and made the run end early; an authoring mistake that publishing should have caught. */
export type LandingFault = { kind: 'decision_cycle' | 'unknown_target'; nodeId: string };

export type Landing =
  | { kind: 'screen'; id: string }
  | { kind: 'surface'; id: string }
  | { kind: 'end'; fault?: LandingFault };

/**
 * Follows a target through decisions to where the run shows something (runtime.md §2.2). Unknown ids and
 * decision cycles end the flow instead of hanging it.
 */
export function land(
  manifest: FlowManifest,
  target: FlowTarget | undefined,
  context: ExpressionContext,
  onDecision?: (telemetry: DecisionTelemetry) => void,
): Landing {
  const visited = new Set<string>();
  let current = target;
  while (current !== null && current !== undefined && current !== SURFACE_NO_NEXT) {
    const id: string = current;
    if (findScreen(manifest, id)) return { kind: 'screen', id };
    if (findExternalSurface(manifest, id)) return { kind: 'surface', id };
    const decision = manifest.decisionNodes?.find((node) => node.id === id);
    if (!decision) return { kind: 'end', fault: { kind: 'unknown_target', nodeId: id } };
    if (visited.has(id)) return { kind: 'end', fault: { kind: 'decision_cycle', nodeId: id } };
    visited.add(id);
    const match = decision.cases.find((candidate) => evaluateExpression(candidate.expression, context));
    onDecision?.({
      decisionNodeId: id,
      matchedCaseId: match?.id ?? null,
      clauseDigest: match ? clauseDigest(match.expression) : 'else',
    });
    current = match ? match.next : decision.elseNext;
  }
  return { kind: 'end' };
}
