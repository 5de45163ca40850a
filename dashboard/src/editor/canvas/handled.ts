import { find } from '../document/canonical';
import { isFree } from '../document/commands/align';
import { layersIn } from '../document/commands/faces';
import { type Found, isLayer, nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import type { JsonObject, NodeId } from '../document/operation';
import { propertiesOf } from '../properties';
import type { Box } from './board';
import { type Handle, type Has, handlesOf, type Layout, type Sides } from './handles';
import type { Measure } from './measure';
import type { Axis, Names } from './resize';

/** A layer that can be dragged by its handles, as it is on the canvas. */
export type Handled = {
  id: NodeId;
  kind: string;
  object: JsonObject;
  box: Box;
  layout: Layout;
  handles: readonly Handle[];
  has: Has;
  names: Record<Axis, Names>;
  /** The box that it stands in, and whether layers stand beside each other there. */
  around: Box;
  across: boolean;
  /** Whether it stands free of the others, and may stand elsewhere. */
  free: boolean;
};

/** Reads from the canvas what can be dragged of a layer; `may` tells whether a property may be its own. */
export function handledOf(
  { document }: Editor,
  measure: Measure,
  id: NodeId,
  zoom: number,
  may: (path: readonly string[]) => boolean,
): Handled | undefined {
  const node = nodeOf(document, id);
  const [box, layout] = [measure.element(id) && measure.layer(id), measure.layout(id)];
  if (!node || !isLayer(node.kind) || !box || !layout) return undefined;
  const outer = layerAround(node);
  const [around, outerLayout] = [outer && measure.layer(outer.id), outer && measure.layout(outer.id)];
  const has = hasOf(node, may);
  const inside = has.gap
    ? layersIn(node).flatMap((child) => (isFree(child.object) ? [] : (measure.layer(child.id) ?? [])))
    : [];
  return {
    id,
    kind: node.kind,
    object: node.object,
    box,
    layout,
    handles: handlesOf(box, layout, inside, has, zoom),
    has,
    names: namesOf(box, layout, zoom, outer?.object, around, outerLayout),
    around: around ?? box,
    across: outerLayout?.across ?? false,
    free: isFree(node.object) && may(['style', 'inset']),
  };
}

function layerAround({ parent }: Found): Found | undefined {
  return parent && isLayer(parent.kind) ? parent : undefined;
}

function hasOf(node: Found, may: (path: readonly string[]) => boolean): Has {
  const paths = new Set(propertiesOf(node.kind).map(({ path }) => path.join('/')));
  // A header, body or footer is as large as its place.
  const ownSize = layerAround(node) !== undefined;
  const style = (name: string) => paths.has(`style/${name}`) && may(['style', name]);
  return {
    width: ownSize && style('width'),
    height: ownSize && style('height'),
    padding: style('padding'),
    radius: ownSize && style('radius'),
    gap: paths.has('gap') && may(['gap']),
  };
}

/** What sizes with names are in pixels of the canvas. A share of what is as large as its content would be none. */
function namesOf(
  box: Box,
  { hug }: Layout,
  zoom: number,
  outer: JsonObject | undefined,
  around: Box | undefined,
  outerLayout: Layout | undefined,
): Record<Axis, Names> {
  const { t, r, b, l }: Sides = outerLayout?.padding ?? { t: 0, r: 0, b: 0, l: 0 };
  const style = (name: string) => outer && find(outer, ['style', name]);
  // Of what fills its box nothing tells how wide it is by itself.
  const narrow = hug.width * zoom < box.width - 12;
  return {
    width: {
      hug: narrow ? hug.width * zoom : undefined,
      whole: around && style('width') !== 'auto' ? around.width - (l + r) * zoom : undefined,
    },
    height: {
      hug: hug.height * zoom,
      whole: around && typeof style('height') === 'number' ? around.height - (t + b) * zoom : undefined,
    },
  };
}
