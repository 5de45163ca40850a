import { createContext, type RefObject, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Breakpoint } from './breakpoints';
import type { Carry } from './carry';
import type { Editor } from './document/editor';
import type { JsonObject, NodeId } from './document/operation';
import type { Place } from './drop';
import type { Forcing } from './layerStates';
import type { LayerView } from './layerView';
import type { Playhead } from './playhead';
import type { Holds, Previewed } from './previewed';

/** What the parts of the page share: the document, and how it is looked at. */
export type Editing = {
  editor: Editor;
  /** Whether whoever looks at it may change it. */
  canEdit: boolean;
  /** The language in which texts are shown and written. */
  locale: string;
  theme: 'light' | 'dark';
  /** From which width on what is set holds; undefined for all widths. */
  breakpoint: Breakpoint | undefined;
  setBreakpoint: (breakpoint: Breakpoint | undefined) => void;
  /** The text that is written on the canvas. */
  writing: NodeId | undefined;
  write: (id: NodeId | undefined) => void;
  /** The screen or layer whose name is written in its list. */
  naming: NodeId | undefined;
  name: (id: NodeId | undefined) => void;
  /** Brings a screen into sight on the canvas. */
  reveal: (screen: NodeId) => void;
  /** The layer that is drawn in a state that it has only in use. */
  forcing: Forcing | undefined;
  force: (forcing: Forcing | undefined) => void;
  /** Which moment of its motion a screen is shown at. */
  playhead: Playhead;
  /** What the preview tells of conditions while it is open. */
  previewed: Previewed;
  /** Which layers are hidden and locked here. */
  layerView: LayerView;
  /** Distributes what is selected and stands free, on an axis or on that on which it lies; undefined without a canvas. */
  spread: RefObject<((axis?: 'x' | 'y') => true | string) | undefined>;
  library: Library;
  /** Drags what is new into the screens and the tree. */
  carry: Carry;
  /** Opens the menu of what is selected. */
  openMenu: (at: MenuPlace) => void;
  /** Shows why something could not be done; true takes away what was said. */
  say: (outcome: true | string) => void;
};

/** A point of the page, in pixels from its upper left corner. */
export type MenuPlace = { x: number; y: number };

/** The files of the workspace that layers show. */
export type Library = {
  /** Their addresses, by id. */
  paths: Readonly<Record<string, string>>;
  /** The colors, gradients and fonts of the app. */
  branding: unknown;
  /** Lets a person choose a file of a type, or upload one; `chosen` is given its id. */
  choose: (type: 'IMAGE' | 'LOTTIE' | 'VIDEO', chosen: (id: string) => void) => void;
  /** Uploads files and shows them in layers. */
  add: (files: readonly File[], spot: FilesSpot) => void;
};

/** Where files are shown: in place of the file of a layer, else at a place, else where the selection says. A screenshot
 * becomes the background of the screen `behind`. */
export type FilesSpot = { over?: NodeId; to?: Place; behind?: NodeId };

export const EditingContext = createContext<Editing | null>(null);

export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (!editing) throw new Error('only inside of the editor');
  return editing;
}

/** What the preview tells of conditions; undefined where a flow runs outside of the editor, as a template does. */
export const usePreviewed = (): Previewed | undefined => useContext(EditingContext)?.previewed;

/** The JSON of a node; drawn anew when it is another. */
export function useNode(id: NodeId): JsonObject | undefined {
  const { editor } = useEditing();
  return useSyncExternalStore(
    useCallback((listener) => editor.subscribe(id, listener), [editor, id]),
    () => editor.object(id),
  );
}

/** The moment of its motion that a screen is shown at, and what tells how long it moves. */
export function usePlayhead() {
  const { playhead } = useEditing();
  return useSyncExternalStore(playhead.subscribe, () => playhead.state);
}

/** Tells whether conditions hold in the preview; undefined while there is none. */
export function useHolds(): Holds | undefined {
  const { previewed } = useEditing();
  return useSyncExternalStore(previewed.subscribe, () => previewed.holds);
}

/** The layers that are hidden and locked; drawn anew when they are others. */
export function useLayerView() {
  const { layerView } = useEditing();
  useSyncExternalStore(layerView.subscribe, () => layerView.state);
  return layerView;
}

/** Something of the editor that keeps its identity while it does not change: `read` must not make new objects. */
export function useEditorValue<T>(read: (editor: Editor) => T): T {
  const { editor } = useEditing();
  return useSyncExternalStore(
    useCallback((listener) => editor.subscribe('*', listener), [editor]),
    () => read(editor),
  );
}

export const useSelection = () => useEditorValue(({ selection }) => selection);
