import type { Insertion } from '../document/commands/insert';
import type { JsonObject, NodeId } from '../document/operation';

/** Something that the panel offers: a layer of a kind, or a finished block of layers. */
export type Addition = {
  /** A kind, or the id of a block. */
  id: string;
  name: string;
  /** What it is for, in a few words. */
  what: string;
  /** Other words that people look for it by, besides those of its name and of what it is for. */
  words: string;
  /** The kind of its topmost layer. */
  kind: string;
  /** The kind inside it that may stand on a screen once only, such as a question; its own kind by default. */
  asks?: string;
  /** Where on a screen it belongs, whatever is selected. */
  region?: 'header' | 'footer';
  make?: Insertion['make'];
  /** The component that it is an instance of, with its layers, and which of a component's layers are slots. */
  component?: { id: string; tree: JsonObject; isSlot: (component: string, layer: NodeId) => boolean };
};

export type Group = { name: string; additions: readonly Addition[] };
