import type { JsonObject, NodeId } from '../document/operation';
import type { ForcedLayer } from '../layerStates';
import type { Moment } from '../playhead';
import type { Size, View } from './board';
import type { Branches } from './branches';
import type { State } from './states';

/** What the frame draws. Objects that did not change keep their identity: a screen is drawn anew when its own is another. */
export type Shown = {
  flow: JsonObject;
  screens: readonly ShownScreen[];
  /** Of each screen, in its own pixels. */
  size: Size;
  locale: string;
  theme: 'light' | 'dark';
  state: State;
  /** The layer that is drawn in a state of its own. */
  forced?: ForcedLayer | undefined;
  /** Addresses of media by asset id. */
  mediaMap: Readonly<Record<string, string>>;
  branding: unknown;
};

export type ShownScreen = {
  object: JsonObject;
  id: NodeId;
  x: number;
  y: number;
  /** Whether it is near enough to what is seen to be drawn. */
  live: boolean;
  /** Which branches its conditions show. */
  branches: Branches;
};

/** One screen, drawn apart from the board for measuring it. */
export type Still = Omit<Shown, 'screens' | 'state' | 'forced'> & {
  screen: Pick<ShownScreen, 'object' | 'id' | 'branches'>;
};

/** What could not be drawn; the screen as a whole where there is no layer. */
export type Undrawn = { screen: NodeId; layer: NodeId | null };

/** What canvas.html offers to the page around it, which calls it directly: both are of one origin. */
export type CanvasPort = {
  show(shown: Shown): void;
  move(view: View): void;
  /** Takes layers off the board, and shows all others; what is measured has them all. */
  hide(layers: readonly NodeId[]): void;
  /** Shows a screen at a moment of its motion; all at rest for undefined. `reduced` as to a user who asks for less. */
  seek(moment: Moment | undefined, reduced: boolean): void;
  /** How long a screen moves, in ms. */
  lengthOf(screen: JsonObject): number;
  /** Draws a screen at once, unseen, at its own size, and returns it; nothing for undefined. The next call takes it away. */
  still(still: Still | undefined): HTMLElement | null;
  /** Is called when boxes may be others than before: after drawing, scrolling, and when a picture or a font has come. */
  onMoved: () => void;
  onUndrawn: (undrawn: Undrawn) => void;
};

/** What a frame of the canvas has. One that could not be loaded shows a page of the browser, which nobody may read. */
export type CanvasWindow = Window & { svcCanvas?: CanvasPort };
