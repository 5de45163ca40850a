import type { Gesture, Pointer, Stage } from './gesture';

/** The board goes with the pointer. */
export function pan(stage: Stage, start: Pointer): Gesture {
  return {
    marks: {},
    move(pointer) {
      stage.pan({ x: pointer.point.x - start.point.x, y: pointer.point.y - start.point.y });
      return pan(stage, pointer);
    },
    up: () => {},
  };
}
