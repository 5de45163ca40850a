import { isFixed } from '../apply';
import { find } from '../canonical';
import { copyNodes, renameIds } from '../commands/copies';
import { fieldOf } from '../commands/fields';
import type { Insertion } from '../commands/insert';
import { eachNode, type Found, isLayer, kindOf, nodeOf, slotOf } from '../document';
import type { Editor, NewId } from '../editor';
import type { JsonObject, NodeId, Operation } from '../operation';
import { usesIn } from '../reference';
import { differences, topOf } from './differences';
import { follow, inWordsOf } from './follow';
import { type Content, instanceOf, instancesIn, layersOf, marked, markOf, unmarked } from './marks';

/** A component of the app with what it is now. */
export type Component = { id: string; name: string; content: Content };

export const mostLayers = 200;

/** Tells whether a layer can be made a component: true, or why not, in words. */
export function maySave(editor: Editor): true | string {
  const { nodes } = editor.selection;
  if (nodes.length !== 1) return 'Select one layer to save as a component';
  const node = nodeOf(editor.document, nodes[0]!)!;
  if (!isLayer(node.kind) || node.kind === '') return 'Only layers can be saved as components';
  if (isFixed(node) || node.slot !== 'children' || !slotOf('stack', 'children') || !standsAlone(node))
    return 'A region of a screen, or a part of a question, can’t be a component';
  if (layersIn(node).length > mostLayers) return `A component has at most ${mostLayers} layers`;
  return true;
}

/** Whether a layer can stand in any stack. */
const standsAlone = ({ parent }: Found): boolean =>
  parent !== null && ['stack', 'button', 'carousel'].includes(parent.kind);

function layersIn(root: Found): Found[] {
  const out: Found[] = [];
  eachNode(root, (node) => {
    if (isLayer(node.kind)) out.push(node);
  });
  return out;
}

/** Lists the layers of a tree that may be slots: those that hold layers. */
export const slotsOfTree = (root: Found): Found[] =>
  layersIn(root).filter(({ kind }) => slotOf(kind, 'children')?.list && slotOf(kind, 'children')?.holds === 'layer');

/** Writes a layer as the tree of a component; instances inside of it become plain layers. */
export const treeOf = (node: Found): JsonObject => unmarked(node.object);

/** Lists the operations that make the layer that a component was saved from its first instance. */
export function markAsInstance(root: Found, component: { id: string; revision: number }): Operation[] {
  return layersIn(root).map(({ id }) => ({
    op: 'set',
    node: id,
    path: ['component'],
    value: { ...(id === root.id && component), layer: id },
  }));
}

/** What the Add panel inserts for a component. */
export const insertionOf = ({ id, name, content }: Component, editor: Editor): Insertion => ({
  kind: kindOf(content.tree, slotOf('stack', 'children')!),
  name: `“${name}”`,
  make: ({ newId }) => {
    const tree = marked(content.tree, { id, revision: content.revision });
    return copyNodes(editor, [{ kind: topOf(tree).kind, object: tree }], newId).objects[0]!;
  },
});

/** What a component becomes when it is as an instance of it is: layers keep the ids that the component knows them by, new
 * ones get ids of their own. What stands in slots stays as the component has it. `marks` tell the instance's new layers
 * what they are of. */
export function contentFrom(
  editor: Editor,
  root: Found,
  known: Content,
): { tree: JsonObject; slots: Content['slots']; overridable: Content['overridable']; marks: Operation[] } {
  const ids = new Map<NodeId, NodeId>();
  const keys = new Map<string, string>();
  const marks: Operation[] = [];
  const there = layersOf(root);
  const taken = new Set(layersIn(topOf(known.tree)).map(({ id }) => id));
  const fields = new Map(layersIn(topOf(known.tree)).map((node) => [node.id, fieldOf(node)]));
  const slots = new Set(known.slots.map(({ layerId }) => layerId));
  const walk = (node: Found, inside: boolean) => {
    const of = [...there].find(([, found]) => found.id === node.id)?.[0];
    let layer = of;
    if (layer === undefined || (!taken.has(layer) && of !== undefined && ids.has(of))) layer = editor.newId('lyr');
    ids.set(node.id, layer);
    if (of === undefined && inside) marks.push({ op: 'set', node: node.id, path: ['component'], value: { layer } });
    const key = fieldOf(node);
    const was = fields.get(layer);
    if (key !== undefined && was !== undefined) keys.set(key, was);
  };
  const kept = withDefaults(root.object, slots, known.tree);
  eachNode({ ...root, object: kept }, (node) => {
    if (isLayer(node.kind)) walk(node, nodeOf(editor.document, node.id) !== undefined);
  });
  const tree = usesIn(
    renameIds(unmarked(kept), [], ids) as JsonObject,
    'field',
    undefined,
    (key) => keys.get(key) ?? key,
  );
  const left = new Set(layersIn(topOf(tree)).map(({ id }) => id));
  return {
    tree,
    slots: known.slots.filter(({ layerId }) => left.has(layerId)),
    overridable: known.overridable?.filter(({ layerId }) => left.has(layerId)) ?? null,
    marks,
  };
}

/** An instance with the children that the component has in its slots, in place of its own. */
function withDefaults(object: JsonObject, slots: ReadonlySet<NodeId>, known: JsonObject): JsonObject {
  const defaults = new Map(layersIn(topOf(known)).map(({ id, object }) => [id, object.children]));
  const change = (layer: JsonObject): JsonObject => {
    const of = markOf(layer)?.layer;
    const children = layer.children;
    if (of !== undefined && slots.has(of) && Array.isArray(defaults.get(of)))
      return { ...layer, children: (defaults.get(of) as JsonObject[]).map((child) => marked(child)) };
    return Array.isArray(children) ? { ...layer, children: (children as JsonObject[]).map(change) } : layer;
  };
  return change(object);
}

/** What an instance has of its own, by layer: the members that differ from the component as it was made from it. */
export type Override = { node: NodeId; path: readonly string[]; was: JsonObject[string] | undefined };

export function overridesOf(editor: Editor, root: Found, component: string, before: Content): Override[] {
  const { old } = inWordsOf(editor.document, root, component, before, before, (prefix) => `${prefix}_`);
  const there = new Map<NodeId, Found>();
  eachNode(topOf(old), (node) => there.set(node.id, node));
  const out: Override[] = [];
  for (const node of layersOf(root).values()) {
    const was = there.get(node.id);
    if (!was || was.kind !== node.kind) continue;
    for (const path of differences(node.kind, was.object, node.object))
      if (path[0] !== 'component') out.push({ node: node.id, path, was: find(was.object, path) });
  }
  return out;
}

export const resetting = (overrides: readonly Override[]): Operation[] =>
  overrides.map(({ node, path, was }) =>
    was === undefined ? { op: 'unset', node, path } : { op: 'set', node, path, value: was },
  );

/** Lists the operations that make an instance plain layers. */
export function detaching(root: Found): Operation[] {
  return [...layersOf(root).values()].map(({ id }) => ({ op: 'unset', node: id, path: ['component'] }));
}

/** The instances of a component that are behind it. */
export const behind = (editor: Editor, { id, content }: Component) =>
  instancesIn(editor.document).filter((one) => one.id === id && one.revision < content.revision);

/** Makes instances as their component is now, each as one step. Returns true, or why one could not be, in words. */
export function update(
  editor: Editor,
  component: Component,
  roots: readonly { root: NodeId; before: Content | undefined }[],
  newId: NewId = editor.newId,
): true | string {
  const operations: Operation[] = [];
  for (const { root, before } of roots) {
    const instance = instanceOf(editor.document, root);
    if (instance?.root.id !== root || instance.id !== component.id) continue; // another person was faster
    operations.push(...follow(editor.document, root, component.id, before, component.content, newId));
  }
  if (operations.length === 0) return true;
  return editor.runAll(`Update “${component.name}”`, operations);
}
