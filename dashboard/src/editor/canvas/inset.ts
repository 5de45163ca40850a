import { find } from '../document/canonical';
import type { Json, JsonObject } from '../document/operation';
import type { Handled } from './handled';
import type { Sides } from './handles';
import type { Axis } from './snap';

/** By which of its insets a layer that stands free is placed on an axis, in pixels of the screen: `first` is that of the
 * edge that is seen first, `last` that of the other. */
function placed({ object, box, around, layout }: Handled, axis: Axis, zoom: number) {
  const [near, far] = axis === 'y' ? ['t', 'b'] : layout.rightToLeft ? ['r', 'l'] : ['l', 'r'];
  const own = (side: string) => number(find(object, ['style', 'inset', side]));
  const last = own(far!);
  const first = own(near!) ?? (last === undefined ? (box[axis] - around[axis]) / zoom : undefined);
  return { near: near!, far: far!, first, last };
}

/** Where a layer that stands free is after its seen edges moved by some pixels: by the sides that it is placed by. */
export function insetFor(layer: Handled, by: Sides, zoom: number): JsonObject {
  const out: Record<string, Json> = { ...(find(layer.object, ['style', 'inset']) as JsonObject | undefined) };
  const place = (axis: Axis, nearBy: number, farBy: number) => {
    const { near, far, first, last } = placed(layer, axis, zoom);
    if (first !== undefined) out[near] = pixels(first + nearBy);
    if (last !== undefined) out[far] = pixels(last - farBy);
  };
  place('x', by.l, by.r);
  place('y', by.t, by.b);
  return out;
}

/** How far layers that stand free can go on an axis, of some pixels of the screen: no inset of any gets below zero. */
export function within(layers: readonly Handled[], axis: Axis, by: number, zoom: number): number {
  const all = layers.map((one) => placed(one, axis, zoom));
  const least = Math.max(...all.map(({ first = Number.POSITIVE_INFINITY }) => -Math.max(0, first)));
  const most = Math.min(...all.map(({ last = Number.POSITIVE_INFINITY }) => last));
  return Math.max(least, Math.min(most, by));
}

const number = (value: Json | undefined) => (typeof value === 'number' ? value : undefined);
const pixels = (value: number) => Math.max(0, Math.round(value));
