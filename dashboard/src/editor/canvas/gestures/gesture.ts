import type { Editor } from '../../document/editor';
import type { NodeId } from '../../document/operation';
import type { Box, Point } from '../board';
import type { DropMarks } from '../drop';
import type { LayerBox } from '../hit';

/** Where the pointer is on the canvas, with the keys that are held. */
export type Pointer = { point: Point; shift: boolean; mod: boolean; pans: boolean };

/** What a gesture knows of the canvas and does to it. TestEditor has one of simple boxes. */
export type Stage = {
  editor: Editor;
  canEdit: boolean;
  /** The screen at a point, and the layers there, the outermost first. The names of screens belong to their screens. */
  under(point: Point): { screen: NodeId | undefined; path: readonly NodeId[] };
  /** The layers of a screen, in the order of the document. */
  boxes(screen: NodeId): readonly LayerBox[];
  pan(by: Point): void;
  say(outcome: true | string): void;
};

/** What is drawn of a gesture over the screens. */
export type GestureMarks = DropMarks & { hovered?: NodeId; marquee?: Box; dragged?: Point };

/** A state of the pointer. Each event gives the next state; undefined is that of an idle pointer. */
export type Gesture = {
  marks: GestureMarks;
  move(pointer: Pointer): Gesture | undefined;
  up(pointer: Pointer): void;
};
