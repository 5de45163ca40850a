import type { DraftProblem } from '../../editor/problems/queries';

type Address = { screen?: string; layer?: string; mode?: 'graph' };

/** What the address of a draft's editor says to show the place of a problem. Only the graph shows what is no screen. */
export function addressOf(draft: unknown, { stepId, layerId }: Pick<DraftProblem, 'stepId' | 'layerId'>): Address {
  if (!stepId) return {};
  const { screens = [] } = draft as { screens?: readonly { id?: unknown }[] };
  if (!screens.some(({ id }) => id === stepId)) return { layer: stepId, mode: 'graph' };
  return { screen: stepId, ...(layerId && { layer: layerId }) };
}
