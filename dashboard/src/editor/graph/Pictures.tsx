import { useStore } from '@xyflow/react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { isNear } from '../canvas/board';
import { branchesOf } from '../canvas/branches';
import type { Look } from '../canvas/Canvas';
import type { CanvasPort, CanvasWindow, ShownScreen } from '../canvas/port';
import { nodeOf } from '../document/document';
import type { NodeId } from '../document/operation';
import { useEditing, useNode } from '../useEditor';
import styles from './Graph.module.css';
import { phone, picture } from './layout';
import type { GraphNode, Position } from './model';

const scale = picture.width / phone.width;

/** How many screens are drawn from one frame to the next: more would keep the graph waiting. */
const atOnce = 6;

type Props = {
  nodes: readonly GraphNode[];
  places: ReadonlyMap<NodeId, Position>;
  /** Where steps are that are dragged. */
  held: ReadonlyMap<NodeId, Position>;
  look: Look;
};

/** The pictures of all screens near what is seen, drawn by the SDK in one document behind the graph. */
export function Pictures({ nodes, places, held, look }: Props) {
  const { editor, locale, theme } = useEditing();
  const flow = useNode('flow')!;
  const [port, setPort] = useState<CanvasPort>();
  const frame = useRef<HTMLIFrameElement>(null);
  const onLoad = useCallback(
    () => setPort((frame.current?.contentDocument?.defaultView as CanvasWindow | null)?.svcCanvas ?? undefined),
    [],
  );
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  useLayoutEffect(() => port?.move({ x, y, zoom: zoom * scale }), [port, x, y, zoom]);

  const placed = useMemo(
    () =>
      nodes.flatMap(({ id, kind }) => {
        const at = held.get(id) ?? places.get(id);
        return kind === 'screen' && at ? [{ id, x: at.x + picture.x, y: at.y + picture.y }] : [];
      }),
    [nodes, places, held],
  );
  const near = placed
    .filter((one) => isNear({ ...picture, ...one }, { x, y, zoom }, { width, height }))
    .map(({ id }) => id);
  const live = useGradually(near);

  const screens = useMemo<ShownScreen[]>(
    () =>
      placed.flatMap(({ id, x, y }) => {
        const object = nodeOf(editor.document, id)?.object;
        if (!object || flow === undefined) return []; // flow: another document has other screens
        const at = { x: x / scale, y: y / scale };
        return [{ object, id, ...at, live: live.has(id), branches: branchesOf(editor.document, object, []) }];
      }),
    [placed, editor, flow, live],
  );
  useLayoutEffect(() => {
    port?.show({ flow, screens, size: phone, locale, theme, state: 'opens', ...look });
  }, [port, flow, screens, locale, theme, look]);

  return (
    <iframe
      ref={frame}
      title="Pictures of the screens"
      src="/canvas.html"
      className={styles.pictures}
      tabIndex={-1}
      aria-hidden
      inert
      onLoad={onLoad}
    />
  );
}

/** Ids of a list, those that are new to it a few at a time. */
function useGradually(ids: readonly NodeId[]): ReadonlySet<NodeId> {
  const [live, setLive] = useState<ReadonlySet<NodeId>>(new Set());
  const key = ids.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is another one each time, its ids are the same
  useEffect(() => {
    const old = ids.filter((id) => live.has(id));
    const next = ids.filter((id) => !live.has(id)).slice(0, atOnce);
    if (next.length === 0 && old.length === live.size) return;
    const asked = requestAnimationFrame(() => setLive(new Set([...old, ...next])));
    return () => cancelAnimationFrame(asked);
  }, [key, live]);
  return live;
}
