import { type Insertion, insert, isNew, type Spot } from '../document/commands/insert';
import type { Target } from '../document/commands/move';
import { partOf, targetOf } from '../document/commands/target';
import { type Found, nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import { whyLocked } from '../document/locked';
import type { NodeId } from '../document/operation';
import { screenOf } from '../document/selection';
import { type Place, staying, whereInWords } from '../drop';
import { kindName, nameOf } from '../names';
import { layersOf, rivalOf } from '../rivals';
import type { Addition } from './addition';
import { behindSelected } from './behind';
import { missing } from './parts';

/** Where an addition would go; where that is not the place of the selection, `instead` says why. */
export type Finding = { insertion: Insertion; to: Spot; instead?: string };

/** Finds where an addition goes: to the selection where a valid screen may have it, else to the nearest place that may.
 * Returns why there is none, in words. */
export function spotOf(editor: Editor, addition: Addition): Finding | string {
  const { kind, name, make, component } = addition;
  const plain: Insertion = { kind, name, make, copy: component?.tree };
  const { screen } = editor.selection;
  const whole = partOf[kind];
  if (screen === null || !nodeOf(editor.document, screen))
    return whole ? `Add ${kindName(whole)} first: it is a part of that` : onNew(plain, undefined, 'No screen is open');
  if (whole) return inWhole(editor, addition, whole, screen);
  const to =
    regionOf(editor, addition, screen) ??
    (make || component ? blockTarget(editor, screen, addition) : targetOf(editor, kind));
  if (!to) return insert.when(editor, plain) as string;
  const locked = whyLocked(editor, to.parent);
  if (locked) return locked;
  const rival = rivalOf(editor, addition.asks ?? kind, screen, to.parent);
  return rival ? onNew(plain, screen, rival) : { insertion: { ...plain, to }, to };
}

const onNew = (plain: Insertion, after: NodeId | undefined, instead: string): Finding => {
  const to: Spot = { screen: 'new', after };
  return { insertion: { ...plain, to }, to, instead };
};

/** What adds an addition at a place that a person points at, or why a valid screen can't have it there, in words. */
export function insertionAt(editor: Editor, addition: Addition, to: Place): Insertion | string {
  const { document } = editor;
  const { kind, name } = addition;
  const screen = screenOf(document, to.parent);
  if (screen === null) return 'The place was removed';
  const rival = rivalOf(editor, addition.asks ?? kind, screen, to.parent);
  if (rival) return rival;
  let whole = nodeOf(document, to.parent);
  while (whole && whole.kind !== partOf[kind]) whole = whole.parent ?? undefined;
  const part = partOf[kind];
  if (part && !whole) return `It is a part of ${kindName(part)}`;
  const make = whole && part ? missing(whole, kind) : addition.make;
  if (whole && part && !make) return allOf(whole);
  const insertion = { kind, name, make, copy: addition.component?.tree, to };
  const may = insert.when(editor, insertion);
  return may === true ? insertion : may;
}

/** Names where something goes: "in Card, below Price". */
export function spotInWords(editor: Editor, to: Spot): string {
  if (isNew(to)) return to.after === undefined ? 'on a new screen, the last' : 'on a new screen after this one';
  const parent = nodeOf(editor.document, to.parent)!;
  if (parent.kind === 'screen') return `in a new ${to.slot} of ${nameOf(parent.object, 'screen')}`;
  const after = to.after === undefined ? (staying(parent, []).at(-1)?.id ?? null) : to.after;
  return whereInWords(editor, [], { ...to, after });
}

/** A part goes into the layer that it is a part of: that around the selection, else the first on the screen. */
function inWhole(editor: Editor, { kind, name }: Addition, whole: string, screen: NodeId): Finding | string {
  const { document } = editor;
  const target = targetOf(editor, kind);
  let around = target && nodeOf(document, target.parent);
  while (around && around.kind !== whole) around = around.parent ?? undefined;
  const found = around ?? layersOf(nodeOf(document, screen)!).find((one) => one.kind === whole);
  if (!found) return `It is a part of ${kindName(whole)}, and this screen has none: add that`;
  const make = missing(found, kind);
  if (!make) return allOf(found);
  const locked = whyLocked(editor, found.id);
  if (locked) return locked;
  const to = around ? target! : { parent: found.id, slot: 'children' };
  const instead = around ? undefined : `It only stands in ${kindName(whole)}`;
  return { insertion: { kind, name, make, to }, to, instead };
}

const allOf = ({ object, kind }: Found) => `${nameOf(object, kind)} has all of these that it can have`;

function blockTarget(editor: Editor, screen: NodeId, addition: Addition): Target | undefined {
  const body = layersOf(nodeOf(editor.document, screen)!).find(({ slot }) => slot === 'body');
  return behindSelected(editor, addition) ?? (body && { parent: body.id, slot: 'children' });
}

function regionOf({ document }: Editor, { region }: Addition, screen: NodeId) {
  if (!region) return undefined;
  const there = layersOf(nodeOf(document, screen)!).find(({ slot }) => slot === region);
  if (!there) return { parent: screen, slot: region };
  return { parent: there.id, slot: 'children', ...(region === 'header' && { after: null }) };
}
