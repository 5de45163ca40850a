import type { Document } from './document/document';
import type { Editor } from './document/editor';
import type { NodeId } from './document/operation';
import { label } from './document/words';

/** What can be done to a layer in the editor alone: not to show it on the canvas, and not to let the pointer have it. */
export type View = 'hidden' | 'locked';

type State = Readonly<Record<View, ReadonlySet<NodeId>>>;

/** Where it is kept: one text. */
export type Keeps = { read(): string | null; write(text: string): void };

/** What is kept of a flow at most, in layers. */
const most = 1000;

/** Which layers a person has hidden and locked in the editor of a flow. It is this browser's: the draft, those who edit with
 * them and what is published know nothing of it. */
export class LayerView {
  state: State;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly keeps?: Keeps) {
    this.state = read(keeps?.read() ?? null);
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Hides or locks layers; where all of them are already, shows or unlocks them. */
  toggle(view: View, ids: readonly NodeId[]) {
    const others = [...this.state[view]].filter((id) => !ids.includes(id));
    const all = ids.every((id) => this.state[view].has(id));
    this.state = { ...this.state, [view]: new Set(all ? others : [...others, ...ids].slice(-most)) };
    const { hidden, locked } = this.state;
    this.keeps?.write(JSON.stringify({ hidden: [...hidden], locked: [...locked] }));
    for (const listener of this.#listeners) listener();
  }

  /** Whether a layer is hidden or locked, by itself or with one that it stands in. */
  holds(view: View, document: Document, id: NodeId): boolean {
    return this.lockOf(document, id, view) !== undefined;
  }

  /** What of a layer and those that it stands in is locked, the innermost; undefined when nothing is. */
  lockOf(document: Document, id: NodeId, view: View = 'locked'): NodeId | undefined {
    for (let at: NodeId | undefined = id; at !== undefined; at = document.parents.get(at)?.parent)
      if (this.state[view].has(at)) return at;
    return undefined;
  }
}

function read(text: string | null): State {
  try {
    const { hidden, locked } = JSON.parse(text ?? '{}') as Partial<Record<View, unknown>>;
    return { hidden: ids(hidden), locked: ids(locked) };
  } catch {
    return { hidden: new Set(), locked: new Set() };
  }
}

const ids = (list: unknown): ReadonlySet<NodeId> =>
  new Set(Array.isArray(list) ? list.filter((id) => typeof id === 'string').slice(-most) : []);

/** Hides or locks what is selected, or undoes that. Returns true, or why not, in words. */
export function toggleView({ selection }: Editor, layers: LayerView, view: View): true | string {
  if (selection.nodes.length === 0) return `Select layers to ${view === 'hidden' ? 'hide' : 'lock'}`;
  layers.toggle(view, selection.nodes);
  return true;
}

/** Why what is selected can't be moved or removed by a key: a layer of it is locked. */
export function lockedIn({ document, selection }: Editor, layers: LayerView): string | undefined {
  const locked = selection.nodes.find((id) => layers.holds('locked', document, id));
  const name = locked && label(document, locked);
  return name && `${name.charAt(0).toUpperCase()}${name.slice(1)} is locked. Unlock it to move or remove it.`;
}
