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
import type { Zone } from '../carry';
import { useMayChange } from '../components/useMayChange';
import { neighbor } from '../document/commands/reorder';
import { childrenOf, nodeOf } from '../document/document';
import type { NodeId } from '../document/operation';
import { forcedLayer } from '../layerStates';
import type { PersonPointer } from '../others';
import { screensIn } from '../screens';
import { useEditing, useLayerView, useNode, useSelection } from '../useEditor';
import {
  around,
  type Box,
  contains,
  isNear,
  type Point,
  placeScreens,
  type Size,
  seen,
  type View,
  zoomAt,
} from './board';
import { branchesOf, SameBranches } from './branches';
import styles from './Canvas.module.css';
import { type DropMarks, dropAt, marksOf } from './drop';
import { filesAt } from './files';
import { Gestures } from './gestures/Gestures';
import type { Pointer, Stage } from './gestures/gesture';
import { targetOf } from './gestures/press';
import { spread as spreadOn } from './gestures/shift';
import { Distances, Guides, Handles } from './Handles';
import { handledOf } from './handled';
import { cursorOf } from './handles';
import { deeper, layersAt } from './hit';
import { InlineText } from './InlineText';
import { Marks } from './Marks';
import { Measure } from './measure';
import type { CanvasPort, CanvasWindow, Shown, ShownScreen, Undrawn } from './port';
import { distances } from './snap';
import type { State } from './states';
import { useHeld } from './useHeld';
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
  /** The state that screens are drawn in. */
  state: State;
  onUndrawn: (undrawn: Undrawn) => void;
  /** Is told where the pointer is, null for on no screen. */
  onPoint: (pointer: PersonPointer | null) => void;
};

/** The screens of the flow, drawn by the SDK in a document of their own, and what marks them, which lies over that. */
export function Canvas({ view, setView, onSize, device, look, state, onUndrawn, onPoint }: Props) {
  const {
    editor,
    locale,
    theme,
    canEdit,
    writing,
    write,
    openMenu,
    say,
    carry,
    forcing,
    playhead,
    library,
    breakpoint,
    spread,
  } = useEditing();
  const flow = useNode('flow')!;
  const selection = useSelection();
  const screens = useMemo(() => screensIn(flow), [flow]);
  const places = useMemo(() => placeScreens(screens.length, device), [screens.length, device]);
  const stage = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [canvas, setCanvas] = useState<Size>();
  const [opened, setOpened] = useState<{ port: CanvasPort; measure: Measure }>();
  const [drawn, redraw] = useReducer((count: number) => count + 1, 0);

  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setCanvas({ width, height });
      onSize({ width, height });
    });
    observer.observe(stage.current!);
    return () => observer.disconnect();
  }, [onSize]);

  // The first screen of a flow is where looking at it begins.
  const isEmpty = screens.length === 0;
  useEffect(() => {
    if (!view && canvas && !isEmpty) onSize(canvas);
  }, [view, canvas, isEmpty, onSize]);

  const open = useCallback(() => {
    const window = frame.current?.contentDocument?.defaultView as CanvasWindow | null;
    if (!window?.svcCanvas) return;
    const port = window.svcCanvas;
    let asked = 0;
    port.onMoved = () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(redraw);
    };
    setOpened({ port, measure: new Measure(window.document) });
  }, []);
  useEffect(() => {
    if (opened) opened.port.onUndrawn = onUndrawn;
  }, [opened, onUndrawn]);

  const same = useRef(new SameBranches());
  const branches = useMemo(
    () =>
      screens.map((object) =>
        same.current.keep(String(object.id), branchesOf(editor.document, object, selection.nodes)),
      ),
    [screens, editor, selection.nodes],
  );
  const shown = useMemo<ShownScreen[]>(
    () =>
      screens.map((object, at) => ({
        object,
        id: String(object.id),
        ...places[at]!,
        branches: branches[at]!,
        live: !!view && !!canvas && isNear({ ...places[at]!, ...device }, view, canvas),
      })),
    [screens, branches, places, view, canvas, device],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the document changes with the flow
  const forced = useMemo(() => forcedLayer(editor.document, forcing), [editor, flow, forcing]);
  useLayoutEffect(() => {
    opened?.port.show({ flow, screens: shown, size: device, locale, theme, state, forced, ...look });
  }, [opened, flow, shown, device, locale, theme, state, forced, look]);
  const layerView = useLayerView();
  const { hidden } = layerView.state;
  useLayoutEffect(() => opened?.port.hide([...hidden]), [opened, hidden]);
  const locked = (id: NodeId) => layerView.holds('locked', editor.document, id);
  useLayoutEffect(() => {
    if (view) opened?.port.move(view);
  }, [opened, view]);

  useEffect(() => {
    if (!opened) return;
    const { port } = opened;
    playhead.set({ lengthOf: port.lengthOf });
    const end = playhead.subscribe(() => port.seek(playhead.state.moment, playhead.state.reduced ?? false));
    return () => {
      end();
      playhead.set({ moment: undefined, lengthOf: undefined });
    };
  }, [opened, playhead]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen is shown at rest
  useEffect(() => () => playhead.set({ moment: undefined }), [selection.screen]);

  const at = (event: { clientX: number; clientY: number }): Point => {
    const { x, y } = stage.current!.getBoundingClientRect();
    return { x: event.clientX - x, y: event.clientY - y };
  };
  /** The layers at a point, and the screen: its name above it belongs to it. */
  const under = (point: Point) => {
    const titled = shown.find(({ x, y }) => view && contains(titleBox(seen({ x, y, ...device }, view)), point))?.id;
    const ids = shown.map(({ id }) => id);
    const screen = titled ?? opened?.measure.screenAt(point, ids);
    const { parents } = editor.document;
    const free = screen && !titled ? opened!.measure.layers(screen).filter(({ id }) => !locked(id)) : [];
    const path = layersAt(free, point, (id) => parents.get(id)?.parent);
    return { screen, path };
  };
  const mayChange = useMayChange(selection.nodes);
  const latest = useRef<Stage>(null!);
  latest.current = {
    editor,
    canEdit,
    zoom: view?.zoom ?? 1,
    breakpoint,
    locked,
    handled: (id) =>
      opened && view && !writing && !locked(id)
        ? handledOf(editor, opened.measure, id, view.zoom, mayChange)
        : undefined,
    under,
    boxes: (screen) => opened?.measure.layers(screen) ?? [],
    pan: ({ x, y }) => setView((view) => ({ ...view, x: view.x + x, y: view.y + y })),
    say,
  };
  useEffect(() => {
    spread.current = (axis) => spreadOn(latest.current, axis);
    return () => {
      spread.current = undefined;
    };
  }, [spread]);
  const [gestures] = useState(() => new Gestures(() => latest.current));
  const { alt, hold } = useHeld((keys) => {
    gestures.keys(keys);
    redraw();
  });

  useWheel(stage, (event) => {
    if (!view) return;
    const point = at(event);
    if (event.ctrlKey || event.metaKey)
      return setView((view) => zoomAt(view, point, view.zoom * Math.exp(-event.deltaY / 200)));
    const { screen } = under(point);
    if (screen && event.deltaX === 0 && opened?.measure.scroll(screen, event.deltaY / view.zoom)) return;
    setView((view) => ({ ...view, x: view.x - event.deltaX, y: view.y - event.deltaY }));
  });

  const [grabs, grab] = useState(false);
  /** Whether somebody works here, and does not only come by on the way to what is behind. */
  const works = useRef(false);
  const pointer = (event: React.MouseEvent): Pointer => ({
    point: at(event),
    shift: event.shiftKey,
    mod: event.metaKey || event.ctrlKey,
    alt: event.altKey,
    pans: event.button === 1 || event.altKey || grabs,
  });
  const down = (event: PointerEvent<HTMLElement>) => {
    if (event.button > 1) return;
    works.current = true;
    if (event.button === 1) event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    gestures.down(pointer(event));
    redraw();
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    hold(event.altKey);
    gestures.move(pointer(event));
    onPoint(view ? placeOn(shown, device, view, at(event)) : null);
    redraw();
  };
  const up = (event: PointerEvent<HTMLElement>) => {
    gestures.up(pointer(event));
    redraw();
  };
  const cancel = () => {
    gestures.cancel();
    redraw();
  };
  const twice = (event: React.MouseEvent) => {
    if (gestures.twice(pointer(event))) return redraw();
    const { path } = under(at(event));
    const last = path.at(-1);
    if (!last) return;
    const text = nodeOf(editor.document, last)?.kind === 'text';
    const id = text ? last : deeper(path, selection.nodes[0]);
    if (id) editor.select({ nodes: [id] });
    if (text && canEdit) write(last);
  };

  const more = (event: React.MouseEvent) => {
    event.preventDefault();
    const { path, screen } = under(at(event));
    const isSelected = path.some((id) => selection.nodes.includes(id));
    // A key opens it for what is selected.
    if (event.button === 2 && !isSelected) {
      const id = targetOf(latest.current, path, false);
      editor.select(id === undefined ? { screen: screen ?? selection.screen } : { nodes: [id] });
    }
    openMenu({ x: event.clientX, y: event.clientY });
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
  const [carried, setCarried] = useState<DropMarks>();
  const zone = useRef<Zone>(null!);
  zone.current = (what, { x, y }) => {
    const point = at({ clientX: x, clientY: y });
    const isOver = what && opened && canvas && contains({ x: 0, y: 0, ...canvas }, point);
    const { screen } = isOver ? under(point) : {};
    const found = isOver && screen ? dropAt(editor, [], point, opened.measure.layers(screen), what.may) : undefined;
    setCarried(found === undefined ? undefined : marksOf(found, point));
    return typeof found === 'string' ? found : found?.to;
  };
  useEffect(() => carry.join((what, point) => zone.current(what, point)), [carry]);
  const { marks } = gestures;
  const [only, ...others] = selection.nodes;
  // Read when the canvas has been drawn: while the document changes it is not yet what is read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawn` counts what changes boxes, a look what is locked
  const handled = useMemo(
    () => (canEdit && only !== undefined && others.length === 0 ? latest.current.handled(only) : undefined),
    [canEdit, only, others.length, drawn, opened, view, writing, layerView.state],
  );
  /** How far what is selected is from what the pointer is over, else from what is around it. */
  const measured = () => {
    const own = selection.nodes.flatMap((id) => boxOf(id) ?? []);
    const parent = only === undefined ? undefined : editor.document.parents.get(only)?.parent;
    const over = marks.hovered !== undefined && !selection.nodes.includes(marks.hovered) ? marks.hovered : parent;
    const to = over === undefined ? undefined : boxOf(over);
    return own.length > 0 && to ? distances(around(own), to) : [];
  };
  const files = (event: React.DragEvent) => {
    if (!canEdit || !opened || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    const point = at(event);
    const { screen, path } = under(point);
    const { spot, marks } = filesAt(editor, point, path, screen ? opened.measure.layers(screen) : []);
    setCarried(event.type === 'drop' ? undefined : marks);
    if (event.type !== 'drop') return;
    if (typeof spot === 'string') return say(`It was not added. ${spot}.`);
    if (screen && screen !== selection.screen) editor.select({ screen });
    library.add([...event.dataTransfer.files], spot);
  };
  /** Whether a key does something here. */
  const press = (event: React.KeyboardEvent): boolean => {
    if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return false;
    if (event.key === 'Escape' && gestures.isActive) cancel();
    else if (event.key === ' ') grab(true);
    else if (event.key !== 'Tab') {
      if (!gestures.key(event)) return false;
      works.current = true;
    } else {
      // Beyond the last layer of its place the focus goes on.
      const next = works.current && only !== undefined ? neighbor(editor, event.shiftKey ? -1 : 1) : undefined;
      if (next === undefined) return false;
      editor.select({ nodes: [next] });
    }
    return true;
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
      onPointerCancel={cancel}
      onPointerLeave={() => {
        onPoint(null);
        if (!gestures.isActive) cancel();
      }}
      onKeyDown={(event) => {
        if (press(event)) event.preventDefault();
      }}
      onKeyUp={(event) => {
        if (event.key === ' ') grab(false);
      }}
      onBlur={() => {
        works.current = false;
        grab(false);
      }}
      data-dragging={marks.dragged ? true : undefined}
      data-measuring={alt || undefined}
      data-grabs={grabs || undefined}
      data-several={others.length > 0 || undefined}
      style={marks.handle && { cursor: cursorOf(marks.handle) }}
      onDoubleClick={twice}
      onContextMenu={more}
      onDragOver={files}
      onDragLeave={() => setCarried(undefined)}
      onDrop={files}
    >
      <iframe ref={frame} title="Screens of the flow" src="/canvas.html" inert tabIndex={-1} onLoad={open} />
      {view && (
        <Marks
          screens={shown}
          device={device}
          view={view}
          gesture={writing ? {} : { ...marks, ...carried }}
          boxOf={boxOf}
          outlined={!writing}
        >
          {(!gestures.isActive || marks.handle) && (
            <Handles handled={handled} handle={marks.handle} isActive={gestures.isActive} zoom={view.zoom} />
          )}
          <Guides guides={marks.guides ?? []} said={marks.said} />
          {alt && !gestures.isActive && <Distances lines={measured()} zoom={view.zoom} />}
        </Marks>
      )}
      {view && writing && element && (
        <InlineText key={writing} id={writing} element={element} zoom={view.zoom} close={() => write(undefined)} />
      )}
    </section>
  );
}

/** Where a point of the canvas is on a screen, to the pixel; null for on none. */
function placeOn(screens: readonly ShownScreen[], size: Size, view: View, point: Point): PersonPointer | null {
  const screen = screens.find(({ x, y }) => contains(seen({ x, y, ...size }, view), point));
  if (!screen) return null;
  const { x, y } = seen({ ...screen, ...size }, view);
  return { screen: screen.id, x: Math.round((point.x - x) / view.zoom), y: Math.round((point.y - y) / view.zoom) };
}

/** Where the name of a screen stands. */
const titleBox = ({ x, y, width }: Box): Box => ({ x, y: y - 24, width, height: 24 });
