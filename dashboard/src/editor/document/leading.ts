import { type Document, type Found, isInside, isLayer, nodeOf } from './document';
import type { NodeId } from './operation';
import { references } from './reference';
import { screenOf } from './selection';
import { label, labelOf } from './words';

/** Names what leads to a screen, each once: “Continue” on “Welcome”, the start of the flow. What is on the screen itself
 * is left out. */
export function leadingTo(document: Document, screen: NodeId): string[] {
  const nodes = references(document, screen)
    .map(({ node }) => node)
    .filter((id) => !isInside(document, id, screen) && document.parents.get(id)?.slot !== 'layout');
  return [...new Set(nodes)].map((id) => inWords(document, nodeOf(document, id)!));
}

function inWords(document: Document, node: Found): string {
  if (node.kind === 'flow') return 'the start of the flow';
  if (node.kind === 'screen') return `the screen ${labelOf(node)}`;
  const screen = screenOf(document, node.id);
  // An item is named by what it belongs to: a case by its decision.
  const owner = isLayer(node.kind) || !node.parent || node.parent.kind === 'flow' ? node : node.parent;
  const name = labelOf(owner);
  const called = name.startsWith('“') ? name : `a ${name}`;
  return screen === null ? called : `${called} on ${label(document, screen)}`;
}
