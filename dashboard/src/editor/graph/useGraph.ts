import { useMemo, useRef } from 'react';
import { useEditing, useEditorValue } from '../useEditor';
import { type Arrangement, place } from './layout';
import { type Mark, marksOf, waysOf } from './marks';
import { type Graph, type GraphNode, graphOf, type Position, positionsIn } from './model';

export type Drawn = Arrangement & {
  graph: Graph;
  marks: ReadonlyMap<string, Mark>;
};

/** The graph of the document with where its steps stand. Steps are laid out again when the ways between them change. */
export function useGraph(): Drawn {
  const { editor } = useEditing();
  const document = useEditorValue((one) => one.document);
  const before = useRef<ReadonlyMap<string, [string, GraphNode]>>(new Map());
  const graph = useMemo(() => {
    const made = graphOf(document);
    // What did not change keeps its identity, so that a step is drawn anew when it is another.
    const kept = new Map(
      made.nodes.map((node) => {
        const text = JSON.stringify(node);
        const last = before.current.get(node.id);
        return [node.id, last?.[0] === text ? last : ([text, node] as [string, GraphNode])];
      }),
    );
    before.current = kept;
    return { ...made, nodes: [...kept.values()].map(([, node]) => node) };
  }, [document]);
  const own = useMemo(() => positionsIn(document), [document]);
  const shape = useMemo(() => shapeOf(graph, own), [graph, own]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: places depend on the shape alone
  const arrangement = useMemo(() => place(graph, own), [shape, editor]);
  const marks = useMemo(() => marksOf(waysOf(document)), [document]);
  return { graph, marks, ...arrangement };
}

/** All that the places of steps depend on. */
function shapeOf({ nodes, edges }: Graph, own: ReadonlyMap<string, Position>): string {
  const sizes = nodes.map(({ id, rows, words, isEntry }) => [id, rows.length, words !== '', isEntry]);
  return JSON.stringify([sizes, edges, [...own]]);
}
