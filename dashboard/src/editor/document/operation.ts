/** The language in which a draft is changed; manifest/edit is its twin in Go and testdata/vectors.json holds both to the
 * same bytes. Nodes are addressed by id, never by index, so that an operation means the same after what others did. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [member: string]: Json };

/** 'flow', the id of a screen, decision, surface or layer, or for list items 'lyr_goal/optionBindings/daily'. */
export type NodeId = string;

/** Where a node goes: behind `after` when that stands in the slot, else before `before`, else last. */
export type Place = { parent: NodeId; slot: string; after: NodeId | null; before: NodeId | null };

export type Operation =
  | { op: 'set'; node: NodeId; path: readonly string[]; value: Json }
  | { op: 'unset'; node: NodeId; path: readonly string[] }
  | ({ op: 'insert'; subtree: JsonObject } & Place)
  | ({ op: 'move'; node: NodeId } & Place)
  | { op: 'remove'; node: NodeId }
  | { op: 'rename'; key: 'field' | 'option' | 'attribute'; owner?: NodeId; from: string; to: string };

/** A named change, applied whole or not at all. */
export type Step = { name: string; operations: readonly Operation[] };

/** A step as it was applied: its anchors are the neighbors that were found. */
export type Applied = { step: Step; inverse: readonly Operation[] };

export type RefusalCode = 'node_removed' | 'cycle' | 'exists' | 'slot' | 'shape' | 'limit';
export type Refusal = { code: RefusalCode; node: NodeId };

export function isRefusal(outcome: object): outcome is Refusal {
  return 'code' in outcome;
}
