import type { Breakpoint } from '../../breakpoints';
import type { Editor } from '../../document/editor';
import type { NodeId } from '../../document/operation';
import type { Box, Point } from '../board';
import type { DropMarks } from '../drop';
import type { Handled } from '../handled';
import type { Handle } from '../handles';
import type { LayerBox } from '../hit';
import type { Guide } from '../snap';

/** Where the pointer is on the canvas, with the keys that are held. */
export type Pointer = { point: Point; shift: boolean; mod: boolean; alt: boolean; pans: boolean };

/** What a gesture knows of the canvas and does to it. TestEditor has one of simple boxes. */
export type Stage = {
  editor: Editor;
  canEdit: boolean;
  /** Pixels of the canvas to one of a screen. */
  zoom: number;
  /** From which width on what is dragged holds; undefined for all widths. */
  breakpoint: Breakpoint | undefined;
  /** The screen at a point, and the layers there, the outermost first. The names of screens belong to their screens. */
  under(point: Point): { screen: NodeId | undefined; path: readonly NodeId[] };
  /** The layers of a screen, in the order of the document. */
  boxes(screen: NodeId): readonly LayerBox[];
  /** Whether a layer is locked, or stands in one that is: the pointer goes through it. */
  locked(layer: NodeId): boolean;
  /** What can be dragged of a layer; undefined where it can't be now. */
  handled(layer: NodeId): Handled | undefined;
  pan(by: Point): void;
  say(outcome: true | string): void;
};

/** What is drawn of a gesture over the screens. */
export type GestureMarks = DropMarks & {
  hovered?: NodeId | undefined;
  marquee?: Box;
  dragged?: Point;
  /** The handle that the pointer has, or is over. */
  handle?: Handle | undefined;
  /** What a drag has come to, in words beside the pointer. */
  said?: { at: Point; text: string };
  guides?: readonly Guide[];
};

/** A state of the pointer. Each event gives the next state; undefined is that of an idle pointer. */
export type Gesture = {
  marks: GestureMarks;
  move(pointer: Pointer): Gesture | undefined;
  /** Other keys are held while the pointer rests. */
  keys?(keys: Pick<Pointer, 'alt' | 'shift'>): Gesture;
  up(pointer: Pointer): void;
  /** Gives back what it has changed already. */
  cancel?(): void;
};
