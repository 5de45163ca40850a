import { isObject } from './document/canonical';
import { type Document, nodeOf } from './document/document';
import type { JsonObject, NodeId } from './document/operation';

/** The screens of a flow, the one that runs start with first. */
export function screensIn(flow: JsonObject): JsonObject[] {
  const screens = (Array.isArray(flow.screens) ? flow.screens : []).filter(isObject);
  return screens.toSorted((a, b) => Number(b.id === flow.entryScreenId) - Number(a.id === flow.entryScreenId));
}

/** The layers around a layer and itself, the region's stack first. */
export function pathTo(document: Document, id: NodeId): NodeId[] {
  const path: NodeId[] = [];
  for (let at = nodeOf(document, id); at?.parent && at.kind !== 'screen'; at = at.parent) path.unshift(at.id);
  return path;
}
