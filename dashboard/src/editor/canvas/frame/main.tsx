import './frame.css';
import type { FlowManifest, Screen } from '@svc/react';
import { EditScreen, type LayerError } from '@svc/react/edit';
import { useDeferredValue, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import type { CanvasPort, CanvasWindow, Shown } from '../port';
import { forcedOf } from '../states';
import { mark } from './looks';
import { useRested } from './rested';

const board = document.getElementById('root')!;
board.className = 'board';
// What a boundary caught is told to the page around; the console is for what nobody expects.
const root = createRoot(board, { onCaughtError: () => {} });

const port: CanvasPort = {
  show: (shown) => root.render(<Board shown={shown} />),
  move: ({ x, y, zoom }) => {
    board.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
    port.onMoved();
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

/** All screens, each where it stands; those that are far from what is seen are empty. */
function Board({ shown }: { shown: Shown }) {
  const { screens, size, theme } = shown;
  // What a screen takes from the rest of the flow (theme, names of answers) may come a moment later.
  const flow = useDeferredValue(useRested(shown.flow)) as unknown as FlowManifest;
  useLayoutEffect(() => {
    mark(document, shown.forced?.layer, shown.forced?.look ?? null);
    moved();
  });
  return screens.map(({ id, object, x, y, live, branches }) => (
    <div
      key={id}
      className="place"
      data-place={id}
      data-theme={theme}
      data-wide={size.width > 500 || undefined}
      style={{ left: x, top: y, ...size }}
    >
      {live && (
        <EditScreen
          manifest={flow}
          screen={object as unknown as Screen}
          branches={branches}
          forced={shown.forced?.screen === id ? shown.forced.forced : forcedOf(object, shown.state)}
          width={size.width}
          locale={shown.locale}
          theme={theme}
          mediaMap={shown.mediaMap}
          branding={shown.branding as never}
          onLayerError={tell}
          style={fill}
        />
      )}
    </div>
  ));
}
