import {
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { childrenOf, nodeOf } from '../document/document';
import type { NodeId } from '../document/operation';
import { pathTo, screensIn } from '../screens';
import { useEditing, useNode, useSelection } from '../useEditor';
import { type Box, isNear, type Point, placeScreens, type Size, type View, zoomAt } from './board';
import styles from './Canvas.module.css';
import { clicked, deeper, layersAt } from './hit';
import { InlineText } from './InlineText';
import { Marks } from './Marks';
import { Measure } from './measure';
import type { CanvasPort, CanvasWindow, Shown, ShownScreen, Undrawn } from './port';
import { useWheel } from './useWheel';

export type Look = Pick<Shown, 'mediaMap' | 'branding'>;

type Props = {
  /** Undefined until the canvas has a size. */
  view: View | undefined;
  setView: (change: (view: View) => View) => void;
  /** Is told how large the canvas is. */
  onSize: (size: Size) => void;
  device: Size;
  look: Look;
  onUndrawn: (undrawn: Undrawn) => void;
};

/** The screens of the flow, drawn by the SDK in a document of their own, and what marks them, which lies over that. */
export function Canvas({ view, setView, onSize, device, look, onUndrawn }: Props) {
  const { editor, locale, theme, canEdit, writing, write } = useEditing();
  const flow = useNode('flow')!;
  const selection = useSelection();
  const screens = useMemo(() => screensIn(flow), [flow]);
  const places = useMemo(() => placeScreens(screens.length, device), [screens.length, device]);
  const stage = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [canvas, setCanvas] = useState<Size>();
  const [opened, setOpened] = useState<{ port: CanvasPort; measure: Measure }>();
  const [, moved] = useReducer((count: number) => count + 1, 0);
  const [hovered, setHovered] = useState<NodeId>();

  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setCanvas({ width, height });
      onSize({ width, height });
    });
    observer.observe(stage.current!);
    return () => observer.disconnect();
  }, [onSize]);

  const open = useCallback(() => {
    const window = frame.current?.contentWindow as CanvasWindow | null;
    if (!window?.svcCanvas) return;
    const port = window.svcCanvas;
    let asked = 0;
    port.onMoved = () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(moved);
    };
    setOpened({ port, measure: new Measure(window.document) });
  }, []);
  useEffect(() => {
    if (opened) opened.port.onUndrawn = onUndrawn;
  }, [opened, onUndrawn]);

  const shown = useMemo<ShownScreen[]>(
    () =>
      screens.map((object, at) => ({
        object,
        id: String(object.id),
        ...places[at]!,
        live: !!view && !!canvas && isNear({ ...places[at]!, ...device }, view, canvas),
      })),
    [screens, places, view, canvas, device],
  );
  useLayoutEffect(() => {
    opened?.port.show({ flow, screens: shown, size: device, locale, theme, ...look });
  }, [opened, flow, shown, device, locale, theme, look]);
  useLayoutEffect(() => {
    if (view) opened?.port.move(view);
  }, [opened, view]);

  const at = (event: { clientX: number; clientY: number }): Point => {
    const { x, y } = stage.current!.getBoundingClientRect();
    return { x: event.clientX - x, y: event.clientY - y };
  };
  /** The layers under the pointer, and the screen. */
  const under = (event: { clientX: number; clientY: number }) => {
    const point = at(event);
    const screen = opened?.measure.screenAt(
      point,
      screens.map(({ id }) => String(id)),
    );
    const { parents } = editor.document;
    const path = screen ? layersAt(opened!.measure.layers(screen), point, (id) => parents.get(id)?.parent) : [];
    return { screen, path };
  };
  const selected = () => (selection.nodes[0] ? pathTo(editor.document, selection.nodes[0]) : []);
  const target = (event: PointerEvent | React.MouseEvent, path: readonly NodeId[]) =>
    event.metaKey || event.ctrlKey ? path.at(-1) : clicked(path, selected());

  useWheel(stage, (event) => {
    if (!view) return;
    const point = at(event);
    if (event.ctrlKey || event.metaKey)
      return setView((view) => zoomAt(view, point, view.zoom * Math.exp(-event.deltaY / 200)));
    const { screen } = under(event);
    if (screen && event.deltaX === 0 && opened?.measure.scroll(screen, event.deltaY / view.zoom)) return;
    setView((view) => ({ ...view, x: view.x - event.deltaX, y: view.y - event.deltaY }));
  });

  const pan = useRef<Point>(undefined);
  const down = (event: PointerEvent<HTMLElement>) => {
    if (event.button === 1 || event.altKey) {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      pan.current = at(event);
      return;
    }
    if (event.button !== 0) return;
    const label = (event.target as HTMLElement).dataset.screen;
    const { screen, path } = label ? { screen: label, path: [] } : under(event);
    const id = target(event, path);
    if (id && event.shiftKey) {
      const { nodes } = selection;
      editor.select({ nodes: nodes.includes(id) ? nodes.filter((one) => one !== id) : [...nodes, id] });
    } else editor.select(id ? { nodes: [id] } : { screen: screen ?? null });
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const from = pan.current;
    if (from) {
      const to = at(event);
      pan.current = to;
      setView((view) => ({ ...view, x: view.x + to.x - from.x, y: view.y + to.y - from.y }));
      return;
    }
    const { path } = under(event);
    setHovered(target(event, path));
  };
  const up = () => {
    pan.current = undefined;
  };
  const twice = (event: React.MouseEvent) => {
    const { path } = under(event);
    const last = path.at(-1);
    if (!last) return;
    const text = nodeOf(editor.document, last)?.kind === 'text';
    const id = text ? last : deeper(path, selection.nodes[0]);
    if (id) editor.select({ nodes: [id] });
    if (text && canEdit) write(last);
  };

  const boxOf = (id: NodeId): Box | undefined => {
    const node = nodeOf(editor.document, id);
    return (
      node &&
      opened?.measure.layer(
        id,
        childrenOf(node).map((child) => child.id),
      )
    );
  };
  const element = writing && opened?.measure.element(writing);
  return (
    <section
      ref={stage}
      className={styles.stage}
      role="application"
      aria-label="Canvas"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is worked in by keys
      tabIndex={0}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerLeave={() => setHovered(undefined)}
      onDoubleClick={twice}
    >
      <iframe ref={frame} title="Screens of the flow" src="/canvas.html" inert tabIndex={-1} onLoad={open} />
      {view && (
        <Marks
          screens={shown}
          device={device}
          view={view}
          hovered={writing ? undefined : hovered}
          boxOf={boxOf}
          outlined={!writing}
        />
      )}
      {view && writing && element && (
        <InlineText key={writing} id={writing} element={element} zoom={view.zoom} close={() => write(undefined)} />
      )}
    </section>
  );
}
