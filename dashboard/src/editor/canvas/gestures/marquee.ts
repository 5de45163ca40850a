import { layersIn } from '../../document/commands/faces';
import { nodeOf } from '../../document/document';
import type { NodeId } from '../../document/operation';
import { screensIn } from '../../screens';
import { type Box, covers, touches } from '../board';
import type { LayerBox } from '../hit';
import type { Gesture, Pointer, Stage } from './gesture';

/** A rectangle that selects what it touches, besides `already`. Drawn inside of a group, it selects of what is there. */
export function marquee(stage: Stage, start: Pointer, began: NodeId | undefined, already: readonly NodeId[]): Gesture {
  const { editor } = stage;
  const at = ({ point }: Pointer): Gesture => {
    const x = Math.min(start.point.x, point.x);
    const y = Math.min(start.point.y, point.y);
    const box = { x, y, width: Math.abs(start.point.x - point.x), height: Math.abs(start.point.y - point.y) };
    const screens = began === undefined ? screensIn(editor.document.flow).map(({ id }) => String(id)) : [began];
    // Layers of one screen: a selection has one.
    const found = screens.map((id) => touched(stage, id, box)).find((nodes) => nodes.length > 0) ?? [];
    const nodes = [...already, ...found];
    editor.select(nodes.length > 0 ? { nodes } : { screen: began ?? null });
    return { marks: { marquee: box }, move: at, up: () => {} };
  };
  return at(start);
}

function touched({ editor, boxes, locked }: Stage, screen: NodeId, marquee: Box): NodeId[] {
  const known = new Map(boxes(screen).map((box): [string, LayerBox] => [box.id, box]));
  const inside = (id: NodeId): NodeId[] => {
    const node = nodeOf(editor.document, id);
    return (node ? layersIn(node) : []).flatMap((child) => {
      if (locked(child.id)) return [];
      const box = known.get(child.id);
      // What has no box of its own shows what is in it.
      if (!box) return inside(child.id);
      if (!touches(box, marquee)) return [];
      const goesIn = node!.kind === 'screen' || (covers(box, marquee) && layersIn(child).length > 0);
      return goesIn ? inside(child.id) : [child.id];
    });
  };
  return inside(screen);
}
