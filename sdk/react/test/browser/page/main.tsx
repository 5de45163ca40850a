import { type FlowManifest, findScreen, initFlowState, startFlow, submitResponse } from '@svc/core';
import { canGoBack } from '@svc/core/internal';
import { StrictMode, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { LayerRenderer, type LayerRendererProps, MotionProvider, OAuthLoginProvider } from '../../../src/index';

export interface MountOptions
  extends Pick<LayerRendererProps, 'locale' | 'theme' | 'mediaMap' | 'branding' | 'mode' | 'previewWidthPx'> {
  /** Screen to begin on. */
  screenId?: string;
  reducedMotion?: boolean;
  /** The moment that motion is frozen at, in ms. */
  timeMs?: number;
  customProperties?: Record<string, string>;
}

/** What the page recorded, oldest first. */
interface Seen {
  responses: unknown[];
  actions: string[];
  links: string[];
}

declare global {
  interface Window {
    mountFlow(manifest: FlowManifest, options?: MountOptions): void;
    /** Loads the font that pictures are taken with. */
    loadFont(): Promise<unknown>;
    seen: Seen;
    state: ReturnType<typeof initFlowState>;
  }
}

function Run({ manifest, options }: { manifest: FlowManifest; options: MountOptions }) {
  const [state, setState] = useState(() => {
    const entry = options.screenId ?? manifest.entryScreenId;
    return startFlow(initFlowState({ ...manifest, entryScreenId: entry }, { platform: 'web' }));
  });
  window.state = state;
  const screen = findScreen(manifest, state.currentScreenId);
  if (!screen) return <output id="ended">{state.status}</output>;
  const { screenId, reducedMotion, timeMs, customProperties, ...props } = options;
  const renderer = (
    <OAuthLoginProvider>
      <LayerRenderer
        {...props}
        manifest={manifest}
        screen={screen}
        visit={state.history.length}
        interpolationContext={{
          responses: state.responses,
          canGoBack: canGoBack(state),
          ...(customProperties ? { customProperties } : {}),
        }}
        onRespond={(response) => {
          window.seen.responses.push(response);
          setState((old) => submitResponse(old, response));
        }}
        onAction={(action) => window.seen.actions.push(action.kind)}
        onExternalLink={({ href }) => window.seen.links.push(href)}
      />
    </OAuthLoginProvider>
  );
  return (
    <MotionProvider
      {...(reducedMotion === undefined ? {} : { reduced: reducedMotion })}
      {...(timeMs === undefined ? {} : { timeMs })}
    >
      {renderer}
    </MotionProvider>
  );
}

let root: Root | undefined;
window.mountFlow = (manifest, options = {}) => {
  root?.unmount();
  window.seen = { responses: [], actions: [], links: [] };
  root = createRoot(document.getElementById('root') as HTMLElement);
  root.render(
    <StrictMode>
      <Run manifest={manifest} options={options} />
    </StrictMode>,
  );
};
window.loadFont = () => import('./font');
