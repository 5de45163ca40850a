import type { CounterLayer, Layer, LoaderLayer, Screen } from '@svc/core';
import {
  clipStartMs,
  counterDurationMs,
  loaderEndMs,
  restingMotions,
  restingSegmentMs,
  restingStartMs,
} from '@svc/core/internal';
import { eachNode, isLayer } from '../../document/document';
import type { JsonObject } from '../../document/operation';

/** How long a screen moves, in ms after it opened: its animations, what fills and counts, and one round of what goes on
 * for ever. 0 where nothing does, or where the draft is not finished enough to say. */
export function lengthOf(object: JsonObject): number {
  const screen = object as unknown as Screen;
  const ends = [0];
  try {
    for (const clip of screen.animations ?? []) ends.push(clipStartMs(clip, screen) + clip.durationMs);
    eachNode({ id: screen.id, kind: 'screen', object, parent: null, slot: '' }, ({ kind, object }) => {
      if (!isLayer(kind)) return;
      const layer = object as unknown as Layer;
      if (kind === 'loader') ends.push(loaderEndMs(layer as LoaderLayer));
      if (kind === 'counter') ends.push(((object.delayMs as number) ?? 0) + counterDurationMs(layer as CounterLayer));
      for (const motion of restingMotions(layer))
        ends.push(restingStartMs(motion, screen, layer.id) + restingSegmentMs(motion));
    });
    const length = Math.max(...ends);
    return Number.isFinite(length) ? Math.ceil(length) : 0;
  } catch {
    return 0;
  }
}
