import { find } from '../canonical';
import { nestsItself } from '../components/marks';
import { type Found, nodeOf } from '../document';
import type { Command, Editor, NewId } from '../editor';
import { stepsOf } from '../exits';
import { whyLocked } from '../locked';
import type { Json, JsonObject, NodeId, Operation } from '../operation';
import { checkPlace } from '../place';
import { inWords } from '../words';
import { colored, colorsOf, type Token } from './colored';
import { copyNodes } from './copies';
import { kindsToInsert, type Make, newLayer } from './defaults';
import { fieldsOf, freeKey } from './fields';
import { insideItself, movesTo, type Target } from './move';
import { addScreen } from './screens';
import { takes, targetOf } from './target';

/** Where something new goes: a place, where a screen without a header or footer gets one with it; or a screen of its
 * own, behind another. */
export type Spot = Target | { screen: 'new'; after: NodeId | undefined };

/** What a block is made with, besides ids and keys. */
export type Making = Make & {
  color(token: Token): Json;
  /** The paywall of the flow; undefined when it has none. */
  paywall: NodeId | undefined;
};

export type Insertion = {
  /** The kind of the topmost layer. */
  kind: string;
  /** What it is called in "Add …"; its kind by default. */
  name?: string;
  /** Makes it; a plain layer of the kind by default. */
  make?(make: Making): JsonObject;
  /** What it is a copy of, as it is: an instance of a component. */
  copy?: JsonObject;
  to?: Spot;
};

/** Adds a layer of a kind, or a finished block of layers, to a place or to where the selection says. */
export const insert: Command<Insertion> = {
  id: 'insert',
  when(editor, { kind, copy, to }) {
    if (!copy && !kindsToInsert.includes(kind)) return 'There is no such layer';
    const spot = to ?? targetOf(editor, kind);
    if (spot && isNew(spot)) return addScreen.when(editor, { after: spot.after });
    const parent = spot && nodeOf(editor.document, spot.parent);
    if (!parent) return editor.selection.screen === null ? 'Open a screen first' : 'There is no place for it here';
    const locked = whyLocked(editor, parent.id);
    if (locked) return locked;
    if (parent.kind === 'screen')
      return checkPlace(parent, spot.slot, 'layer') ? `The screen has a ${spot.slot} already` : true;
    if (copy && nestsItself(editor.document, copy, spot.parent)) return insideItself;
    return takes(parent, spot.slot, kind) || `It can't stand there`;
  },
  build(editor, { kind, name, make, copy, to }, newId) {
    const making = makerOf(editor, newId);
    const subtree = copy
      ? copyNodes(editor, [{ kind, object: copy }], newId).objects[0]!
      : colored(make ? make(making) : newLayer(kind, newId, making.key), making.color);
    const step = `Add ${name ?? inWords(kind).replaceAll('_', ' ')}`;
    const id = String(subtree.id);
    const spot = to ?? targetOf(editor, kind)!;
    if (isNew(spot)) {
      const made = addScreen.build(editor, { after: spot.after }, newId);
      const [first, ...rest] = made.step.operations as readonly [Operation & { op: 'insert' }, ...Operation[]];
      const operations = [{ ...first, subtree: withBody(first.subtree, subtree) }, ...rest];
      return { step: { name: step, operations }, select: { screen: made.select!.screen!, nodes: [id] } };
    }
    return { step: { name: step, operations: [insertion(editor, subtree, spot, newId)] }, select: { nodes: [id] } };
  },
};

export const isNew = (spot: Spot): spot is Exclude<Spot, Target> => 'screen' in spot;

const paywalls = ['revenuecat', 'superwall', 'stripe'];

/** What makes layers for a document: field keys are free ones, each given once. */
function makerOf({ document }: Editor, newId: NewId): Making {
  const isPaywall = ({ kind, object }: Found) =>
    kind === 'surface' && paywalls.includes(String(find(object, ['config', 'provider'])));
  const taken = fieldsOf(document);
  return {
    newId,
    color: colorsOf(document.flow),
    paywall: stepsOf(document).find(isPaywall)?.id,
    key(wanted) {
      const free = freeKey(wanted, taken);
      taken.add(free);
      return free;
    },
  };
}

function insertion(editor: Editor, subtree: JsonObject, { parent, slot, after }: Target, newId: NewId): Operation {
  if (nodeOf(editor.document, parent)!.kind === 'screen') {
    const style = { width: 'full', height: 'auto', padding: { t: 12, r: 20, b: 12, l: 20 } };
    const region = { id: newId('lyr'), kind: 'stack', direction: 'vertical', gap: 12, style, children: [subtree] };
    return { op: 'insert', parent, slot, subtree: region, after: null, before: null };
  }
  const [place] = movesTo(editor, [String(subtree.id)], { parent, slot, after });
  const { after: behind, before } = place as { after: NodeId | null; before: NodeId | null };
  return { op: 'insert', parent, slot, subtree, after: behind, before };
}

/** A new screen with a layer in it. */
function withBody(screen: JsonObject, layer: JsonObject): JsonObject {
  const { body, ...regions } = screen.regions as { body: JsonObject };
  return { ...screen, regions: { ...regions, body: { ...body, children: [layer] } } };
}
