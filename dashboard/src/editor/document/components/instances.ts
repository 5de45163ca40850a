import { find } from '../canonical';
import { renameIds } from '../commands/copies';
import { fieldOf } from '../commands/fields';
import { childrenOf, type Document, eachNode, type Found, isLayer, slotOf } from '../document';
import type { NewId } from '../editor';
import type { Json, JsonObject, NodeId, Operation } from '../operation';
import { usesIn } from '../reference';
import { differences, topOf } from './differences';
import { inWordsOf, operationsTo } from './follow';
import { type Content, type Instance, layersOf, mapLayers, markOf, unmarked } from './marks';

/** Lists the layers of a tree in which instances can have children of their own. */
export const containersIn = (tree: JsonObject): Found[] =>
  layersInTree(tree).filter(({ kind }) => {
    const slot = slotOf(kind, 'children');
    return slot?.list && slot.holds === 'layer';
  });

export function layersInTree(tree: JsonObject): Found[] {
  const out: Found[] = [];
  eachNode(topOf(tree), (node) => isLayer(node.kind) && out.push(node));
  return out;
}

/** Lists what says of layers which ones of a component they are. */
export function marks(
  root: Found,
  of: { id: string; revision: number },
  layers: ReadonlyMap<NodeId, NodeId>,
): Operation[] {
  const out: Operation[] = [];
  eachNode(root, (node) => {
    const layer = isLayer(node.kind) ? layers.get(node.id) : undefined;
    if (layer === undefined) return;
    const value: JsonObject = node.id === root.id ? { ...of, layer } : { layer };
    out.push({ op: 'set', node: node.id, path: ['component'], value });
  });
  return out;
}

/** What layers of an instance have of their own: paths by layer or item, and the component's layers by their ids here. */
export type Overrides = { paths: ReadonlyMap<NodeId, string[][]>; plain: ReadonlyMap<NodeId, Found>; tree: JsonObject };

/** Compares an instance with its component at the revision that it was made from. */
export function overridesOf(document: Document, { root, id }: Instance, content: Content): Overrides {
  let made = 0;
  const tree = inWordsOf(document, root, id, content, content, () => `new_${++made}`).old;
  const plain = new Map<NodeId, Found>();
  eachNode(topOf(tree), (node) => plain.set(node.id, node));
  const paths = new Map<NodeId, string[][]>();
  const walk = (node: Found) => {
    if (node.id !== root.id && isLayer(node.kind) && markOf(node.object)?.id !== undefined) return;
    const there = plain.get(node.id);
    const all = there?.kind === node.kind ? differences(node.kind, node.object, there.object) : [];
    const own = all.filter(([first]) => first !== 'component');
    if (own.length > 0) paths.set(node.id, own);
    childrenOf(node).forEach(walk);
  };
  walk(root);
  return { paths, plain, tree };
}

/** Tells whether instances may have a property of a layer of their own. */
export function mayOverride({ overridable }: Content, layer: NodeId, path: readonly string[]): boolean {
  const begins = (a: readonly string[], b: readonly string[]) => a.every((name, i) => b[i] === name);
  const covers = (list: readonly string[]) => begins(list, path) || begins(path, list);
  return overridable === null || overridable.some((one) => one.layerId === layer && covers(one.path));
}

/** Lists what makes an instance its component again; what is in its slots stays. */
export function resetAll(document: Document, { root }: Instance, { tree }: Overrides, { slots }: Content): Operation[] {
  const own = layersOf(root);
  const filled = mapLayers(tree, (layer) => {
    const of = markOf(layer)?.layer;
    const there = of !== undefined && slots.some(({ layerId }) => layerId === of) ? own.get(of) : undefined;
    return there?.object.children === undefined ? layer : { ...layer, children: there.object.children };
  });
  return operationsTo(document, root, filled);
}

/** What a component becomes after one of its instances, and which layer of it each of the instance's is. What is in slots
 * stays the component's. */
export function contentOf(
  { root }: Instance,
  before: Content,
  newId: NewId,
): { content: Content; layers: Map<NodeId, NodeId> } {
  const known = new Map([...layersOf(root)].map(([layer, node]) => [node.id, layer]));
  const was = new Map(layersInTree(before.tree).map((node) => [node.id, node]));
  const ids = new Map<NodeId, NodeId>();
  const layers = new Map<NodeId, NodeId>();
  const keys = new Map<string, string>();
  const slots = new Set(before.slots.map(({ layerId }) => layerId));
  const walk = (node: Found, nested: boolean) => {
    const foreign = nested || (node.id !== root.id && markOf(node.object)?.id !== undefined);
    if (isLayer(node.kind)) {
      const layer = (!foreign && known.get(node.id)) || newId('lyr');
      ids.set(node.id, layer);
      if (!foreign) layers.set(node.id, layer);
      const [key, there] = [fieldOf(node), was.get(layer)];
      const had = there && fieldOf(there);
      if (key !== undefined && had !== undefined) keys.set(key, had);
      if (!foreign && slots.has(layer)) return;
    }
    for (const child of childrenOf(node)) walk(child, foreign);
  };
  walk(root, false);
  const named = usesIn(
    renameIds(unmarked(root.object), [], ids) as JsonObject,
    'field',
    undefined,
    (key) => keys.get(key) ?? key,
  );
  const tree = mapLayers(named, (layer) => {
    const there = slots.has(String(layer.id)) ? was.get(String(layer.id)) : undefined;
    return there ? { ...layer, children: there.object.children ?? [] } : layer;
  });
  const left = new Set(layersInTree(tree).map(({ id }) => id));
  return {
    layers,
    content: {
      revision: before.revision,
      tree,
      slots: before.slots.filter(({ layerId }) => left.has(layerId)),
      overridable: before.overridable?.filter(({ layerId }) => left.has(layerId)) ?? null,
    },
  };
}

/** The component's value of a property; undefined where it has none. */
export const valueIn = ({ plain }: Overrides, id: NodeId, path: readonly string[]): Json | undefined =>
  find(plain.get(id)?.object, path);
