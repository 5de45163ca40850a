import { move } from '../../document/commands/move';
import { dropAt, marksOf } from '../drop';
import type { Gesture, Pointer, Stage } from './gesture';

/** The selected layers are dragged: a line shows where they would go, and letting go puts them there, as one undo. */
export function drag(stage: Stage, start: Pointer): Gesture {
  const { editor } = stage;
  const { nodes } = editor.selection;
  const find = ({ point }: Pointer) => {
    const { screen } = stage.under(point);
    return screen === undefined ? undefined : dropAt(editor, nodes, point, stage.boxes(screen));
  };
  const at = (pointer: Pointer): Gesture => ({
    marks: { ...marksOf(find(pointer), pointer.point), dragged: pointer.point },
    move: at,
    up(pointer) {
      const drop = find(pointer);
      if (typeof drop === 'string') stage.say(`It was not moved. ${drop}.`);
      else if (drop) stage.say(editor.run(move, { nodes, to: drop.to }));
    },
  });
  return at(start);
}
