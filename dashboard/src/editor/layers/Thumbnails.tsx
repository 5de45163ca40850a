import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { branchesOf } from '../canvas/branches';
import type { Look } from '../canvas/Canvas';
import type { CanvasPort, CanvasWindow, ShownScreen } from '../canvas/port';
import type { NodeId } from '../document/operation';
import { whenIdle } from '../idle';
import { screensIn } from '../screens';
import { useEditing } from '../useEditor';
import styles from './Layers.module.css';

const phone = { width: 390, height: 844 };

/** How long edits rest before pictures follow them, in milliseconds: they are never to delay one. */
const rest = 400;

/** How many screens are drawn in one piece of time, and at most at once. */
const most = { atOnce: 2, drawn: 24 };

type Props = { list: RefObject<HTMLOListElement | null>; ids: readonly NodeId[]; look: Look };

/** The pictures of the screens of the list that are in sight, drawn by the SDK in one document that lies over it. It comes
 * when the page has nothing else to do. */
export function Thumbnails({ list, ids, look }: Props) {
  const { editor, locale, theme } = useEditing();
  const [wanted, want] = useState(false);
  const [port, setPort] = useState<CanvasPort>();
  const frame = useRef<HTMLIFrameElement>(null);
  const live = useRef<NodeId[]>([]);
  const order = ids.join();
  useEffect(() => whenIdle(() => want(true)), []);
  const onLoad = useCallback(
    () => setPort((frame.current?.contentDocument?.defaultView as CanvasWindow | null)?.svcCanvas ?? undefined),
    [],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows stand elsewhere when there are others
  useEffect(() => {
    const rows = list.current;
    const scrolls = rows?.closest('section');
    if (!port || !rows || !scrolls) return;
    let timer = 0;
    let stop = () => {};
    const draw = () => {
      const boxes = [...rows.querySelectorAll<HTMLElement>('[data-picture]')];
      const [first] = boxes;
      if (!first) return;
      const from = rows.getBoundingClientRect();
      const inSight = scrolls.getBoundingClientRect();
      const places = new Map(boxes.map((box) => [box.dataset.picture!, box.getBoundingClientRect()]));
      const near = [...places].filter(([, { top, bottom }]) => bottom > inSight.top - 60 && top < inSight.bottom + 60);
      const ids = near.map(([id]) => id);
      const next = ids.filter((id) => !live.current.includes(id)).slice(0, most.atOnce);
      const kept = live.current.filter((id) => places.has(id));
      live.current = [...kept.filter((id) => !ids.includes(id)), ...kept.filter((id) => ids.includes(id)), ...next];
      live.current = live.current.slice(-most.drawn);
      const zoom = first.getBoundingClientRect().width / phone.width;
      const { flow } = editor.document;
      const screens = screensIn(flow).flatMap((object): ShownScreen[] => {
        const id = String(object.id);
        const place = places.get(id);
        if (!place) return [];
        const at = { x: (place.left - from.left) / zoom, y: (place.top - from.top) / zoom };
        return [
          { object, id, ...at, live: live.current.includes(id), branches: branchesOf(editor.document, object, []) },
        ];
      });
      port.move({ x: 0, y: 0, zoom });
      port.show({ flow, screens, size: phone, locale, theme, state: 'opens', ...look });
      if (next.length > 0) soon();
    };
    const soon = () => {
      stop();
      stop = whenIdle(draw);
    };
    const later = () => {
      clearTimeout(timer);
      timer = window.setTimeout(soon, rest);
    };
    soon();
    const ends = [editor.subscribe('flow', later), () => scrolls.removeEventListener('scroll', soon)];
    scrolls.addEventListener('scroll', soon, { passive: true });
    return () => {
      clearTimeout(timer);
      stop();
      for (const end of ends) end();
    };
  }, [port, editor, list, order, locale, theme, look]);

  if (!wanted) return null;
  return (
    <iframe
      ref={frame}
      title="Pictures of the list"
      src="/canvas.html"
      className={styles.pictures}
      tabIndex={-1}
      aria-hidden
      inert
      onLoad={onLoad}
    />
  );
}
