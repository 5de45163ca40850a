import { canonical, find, isObject } from '../../src/editor/document/canonical';
import { open } from '../../src/editor/document/document';
import type { Json, JsonObject } from '../../src/editor/document/operation';
import { rename } from '../../src/editor/document/reference';

export type Layer = JsonObject & { id: string; kind: string; children?: Layer[]; slides?: Layer[] };
export type Screen = JsonObject & { id: string; name: string; regions: Record<string, Layer> };
export type Step = JsonObject & { id: string; name: string };
export type Manifest = JsonObject & { screens: Screen[]; decisionNodes: Step[]; externalSurfaceNodes: Step[] };

/** A layer of the manifest that is built, and the rows below it in the tree, in the order of the tree. */
export type Row = { layer: Layer; rows: Row[] };

export const flat = (rows: readonly Row[]): Row[] => rows.flatMap((row) => [row, ...flat(row.rows)]);

export const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The layers inside a layer as the tree shows them: options in their order. */
export function inside(layer: Layer): Layer[] {
  const layers = layer.children ?? layer.slides ?? [];
  const roots = listOf(layer.optionBindings).map(({ rootLayerId }) => rootLayerId!);
  if (roots.length === 0) return layers;
  return layers.toSorted((a, b) => roots.indexOf(a.id) - roots.indexOf(b.id));
}

export function differs(target: JsonObject, built: JsonObject, path: readonly string[]): boolean {
  const [want, have] = [find(target, path), find(built, path)];
  if (want === undefined || have === undefined) return want !== have;
  return canonical(want) !== canonical(have);
}

/** The manifest with the ids of what was built in the place of its own, given by their own; options too. */
export function withIds(
  target: Manifest,
  ids: ReadonlyMap<string, string>,
  built: ReadonlyMap<string, Layer>,
): Manifest {
  let flow: JsonObject = target;
  const questions: Layer[] = [];
  visit(target, (object) => {
    if (object.optionBindings || object.options) questions.push(object as Layer);
  });
  for (const question of questions) {
    const keys = (layer: JsonObject) =>
      listOf(layer.optionBindings ?? layer.options).map((one) => String(one.optionId));
    for (const [at, from] of keys(question).entries()) {
      const to = keys(built.get(question.id)!)[at]!;
      const done = rename(open(flow), { op: 'rename', key: 'option', owner: question.id, from, to });
      if ('document' in done) flow = done.document.flow;
      else if (from !== to) throw new Error(`${from} of ${question.id} is not renamed to ${to}: ${done.code}`);
    }
  }
  const replaced = (value: Json): Json => {
    if (typeof value === 'string') return ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner)]));
  };
  return asWritten(replaced(flow) as Manifest, questions);
}

/** A manifest with its conditions as sentences write them: that a wheel stands at a word is written as a choice of that
 * option, which holds of the same answers. */
function asWritten(manifest: Manifest, questions: readonly Layer[]): Manifest {
  const wheels = questions.filter(({ kind }) => kind === 'wheel_picker').map(({ fieldKey }) => fieldKey);
  visit(manifest, (object) => {
    const { variable, predicate } = object;
    const word = find(predicate, ['pred', 'value']);
    const isWord = find(predicate, ['type']) === 'string' && find(predicate, ['pred', 'op']) === 'eq';
    if (isWord && word !== undefined && wheels.includes(find(variable, ['fieldKey'])!))
      (object as Record<string, Json>).predicate = { type: 'choice', pred: { op: 'eq', optionId: word } };
  });
  return manifest;
}

export function visit(value: Json, look: (object: JsonObject) => void) {
  if (Array.isArray(value)) for (const one of value) visit(one, look);
  else if (isObject(value)) {
    look(value);
    for (const one of Object.values(value)) visit(one, look);
  }
}

/** A manifest as it is compared: without what the server stamps, where steps stand in the graph, ids of items that nothing
 * names, and which file of the library a layer shows. What a condition shows comes in the order of its cases. */
export function bare(manifest: JsonObject): JsonObject {
  const { flowId: _, version: __, schemaVersion: ___, builderMeta: ____, ...rest } = manifest;
  return JSON.parse(
    JSON.stringify(rest, (name, value: unknown) => {
      if (name === 'style' && JSON.stringify(value) === '{}') return undefined;
      if (name === 'mediaAssetId') return 'a file';
      if (/^(cases|animations|restingMotions)$/.test(name))
        return listOf(value as Json).map(({ id: _, ...own }) => own);
      const object = value as Layer;
      if (!isObject(value as Json) || !object.children) return value;
      if (object.kind === 'conditional') {
        const shown = [...listOf(object.cases).map((one) => one.rootLayerId), object.elseRootLayerId];
        return { ...object, children: object.children.toSorted((a, b) => shown.indexOf(a.id) - shown.indexOf(b.id)) };
      }
      return { ...object, children: inside(object) };
    }),
  ) as JsonObject;
}
