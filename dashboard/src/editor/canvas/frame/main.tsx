import './frame.css';
import { type FlowManifest, MotionProvider, type Screen } from '@svc/react';
import { EditScreen, type LayerError } from '@svc/react/edit';
import { useDeferredValue, useLayoutEffect, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { Moment } from '../../playhead';
import type { CanvasPort, CanvasWindow, Shown, ShownScreen, Still } from '../port';
import { forcedOf } from '../states';
import { lengthOf } from './length';
import { mark } from './looks';
import { useRested } from './rested';

const board = document.getElementById('root')!;
board.className = 'board';
// What a boundary caught is told to the page around; the console is for what nobody expects.
const root = createRoot(board, { onCaughtError: () => {} });

// Where screens are measured: laid out, and never seen.
const bench = document.body.appendChild(document.createElement('div'));
bench.className = 'bench';
let measured: ReturnType<typeof createRoot> | undefined;

let moment: Moment | undefined;
let less = false;
const seekers = new Set<() => void>();

const hidden = new CSSStyleSheet();
document.adoptedStyleSheets.push(hidden);

const port: CanvasPort = {
  hide: (layers) => {
    const each = layers.map((id) => `.board [data-layer="${CSS.escape(id)}"]`);
    hidden.replaceSync(each.length > 0 ? `${each.join()} { display: none !important }` : '');
    port.onMoved();
  },
  lengthOf,
  seek: (to, reduced) => {
    moment = to;
    less = reduced;
    for (const seeker of seekers) seeker();
  },
  // At once: scheduled, it would miss the frame that shows what was typed beside the canvas.
  show: (shown) => flushSync(() => root.render(<Board shown={shown} />)),
  move: ({ x, y, zoom }) => {
    board.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
    port.onMoved();
  },
  still: (still) => {
    measured ??= createRoot(bench, { onCaughtError: () => {} });
    flushSync(() => measured!.render(still && <Place {...still} flow={still.flow as unknown as FlowManifest} />));
    return bench.querySelector<HTMLElement>('.place');
  },
  onMoved: () => {},
  onUndrawn: () => {},
};
(window as CanvasWindow).svcCanvas = port;

const moved = () => port.onMoved();
for (const event of ['load', 'scroll']) addEventListener(event, moved, true);
document.fonts.addEventListener('loadingdone', moved);

const tell = ({ screenId, layerId }: LayerError) => port.onUndrawn({ screen: screenId, layer: layerId });
const fill = { height: '100%' };

function onSeek(seeker: () => void) {
  seekers.add(seeker);
  return () => void seekers.delete(seeker);
}

/** All screens, each where it stands; those that are far from what is seen are empty. */
function Board({ shown }: { shown: Shown }) {
  const { screens, ...rest } = shown;
  // What a screen takes from the rest of the flow (theme, names of answers) may come a moment later.
  const flow = useDeferredValue(useRested(shown.flow)) as unknown as FlowManifest;
  useLayoutEffect(() => {
    mark(document, shown.forced?.layer, shown.forced?.look ?? null);
    moved();
  });
  return screens.map((screen) => (
    <Place
      key={screen.id}
      {...rest}
      flow={flow}
      screen={screen}
      live={screen.live}
      forced={shown.forced?.screen === screen.id ? shown.forced.forced : forcedOf(screen.object, shown.state)}
      at={screen}
    />
  ));
}

type PlaceProps = Omit<Still, 'flow'> & {
  flow: FlowManifest;
  live?: boolean;
  forced?: ReturnType<typeof forcedOf>;
  /** Where it stands on the board. */
  at?: Pick<ShownScreen, 'x' | 'y'>;
};

function Place({ flow, screen, size, locale, theme, mediaMap, branding, live = true, forced, at }: PlaceProps) {
  // What is measured is measured at rest.
  const ms = useSyncExternalStore(onSeek, () => (at && moment?.screen === screen.id ? moment.ms : undefined));
  const reduced = useSyncExternalStore(onSeek, () => less);
  // biome-ignore lint/correctness/useExhaustiveDependencies: boxes are others at another moment
  useLayoutEffect(() => moved(), [ms, reduced]);
  return (
    <div
      className="place"
      data-place={screen.id}
      data-theme={theme}
      data-wide={size.width > 500 || undefined}
      style={{ left: at?.x, top: at?.y, ...size }}
    >
      {live && (
        <MotionProvider {...(reduced ? { reduced } : ms !== undefined && { timeMs: ms })}>
          <EditScreen
            manifest={flow}
            screen={screen.object as unknown as Screen}
            branches={screen.branches}
            forced={forced}
            width={size.width}
            locale={locale}
            theme={theme}
            mediaMap={mediaMap}
            branding={branding as never}
            onLayerError={tell}
            style={fill}
          />
        </MotionProvider>
      )}
    </div>
  );
}
