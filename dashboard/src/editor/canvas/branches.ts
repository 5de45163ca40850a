import { childrenOf, type Document, eachNode } from '../document/document';
import type { JsonObject, NodeId } from '../document/operation';

/** The branch that each of some conditions shows, by the id of the condition. */
export type Branches = Readonly<Record<NodeId, NodeId>>;

const none: Branches = {};

/** Conditions that show something or nothing, with what they show, by screen: an edit makes another screen. */
const known = new WeakMap<JsonObject, { conditions: ReadonlySet<NodeId>; shown: Branches }>();

function conditionsOf(screen: JsonObject) {
  const found = known.get(screen);
  if (found) return found;
  const conditions = new Set<NodeId>();
  const shown: Record<NodeId, NodeId> = {};
  eachNode({ id: String(screen.id), kind: 'screen', object: screen, parent: null, slot: '' }, (node) => {
    if (node.kind !== 'conditional') return;
    conditions.add(node.id);
    const children = childrenOf(node);
    const otherwise = children.find(({ id }) => id === node.object.elseRootLayerId);
    const first = children.find(({ slot }) => slot === 'cases')?.object.rootLayerId;
    const isEmpty = otherwise && childrenOf(otherwise).length === 0;
    if (isEmpty && children.some(({ id, slot }) => slot === 'children' && id === first)) shown[node.id] = String(first);
  });
  const made = { conditions, shown };
  known.set(screen, made);
  return made;
}

/** Which branches a screen is drawn with: those that selected layers stand in; of a condition that would show nothing
 * otherwise its first case, as that is what is designed. The others show what they do before anybody has answered. */
export function branchesOf(document: Document, screen: JsonObject, selected: readonly NodeId[]): Branches {
  const { conditions, shown } = conditionsOf(screen);
  if (conditions.size === 0) return none;
  let chosen = shown;
  for (const node of selected)
    for (let at = node; ; ) {
      const place = document.parents.get(at);
      if (!place) break;
      if (place.slot === 'children' && conditions.has(place.parent) && chosen[place.parent] !== at)
        chosen = { ...chosen, [place.parent]: at };
      at = place.parent;
    }
  return chosen;
}

/** Keeps the identity of what a screen was drawn with while it is the same: another one draws it anew. */
export class SameBranches {
  #last = new Map<NodeId, Branches>();

  keep(screen: NodeId, branches: Branches): Branches {
    const last = this.#last.get(screen);
    const ids = Object.keys(branches);
    if (last && Object.keys(last).length === ids.length && ids.every((id) => last[id] === branches[id])) return last;
    this.#last.set(screen, branches);
    return branches;
  }
}
