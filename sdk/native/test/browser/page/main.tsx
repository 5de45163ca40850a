import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/noto-sans-arabic/index.css';
import { type FlowManifest, findScreen, initFlowState, startFlow, submitResponse } from '@svc/core';
import { canGoBack } from '@svc/core/internal';
import { MotionProvider } from '@svc/react-core';
import { Fragment, StrictMode, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { Text } from 'react-native';
import ionicons from 'react-native-vector-icons/Fonts/Ionicons.ttf?url';
import type { NativeAdapters } from '../../../src/adapters/adapters';
import { AdaptersContext } from '../../../src/adapters/adapters-context';
import { LayerRenderer, type LayerRendererProps } from '../../../src/renderer/layer-renderer';
import { Film } from '../stand-ins/film';

export interface MountOptions
  extends Pick<LayerRendererProps, 'locale' | 'theme' | 'mediaMap' | 'branding' | 'mode' | 'previewWidthPx'> {
  /** Screen to begin on. */
  screenId?: string;
  reducedMotion?: boolean;
  /** Freezes motion at this moment, ms. */
  timeMs?: number;
  customProperties?: Record<string, string>;
  /** False where a Modal opens: that of react-native-web loses its place in the page when it is mounted twice. */
  strict?: boolean;
}

/** What the page recorded, oldest first. */
interface Seen {
  responses: unknown[];
  actions: string[];
  links: string[];
  opened: string[];
}

declare global {
  interface Window {
    mountFlow(manifest: FlowManifest, options?: MountOptions): void;
    seen: Seen;
    state: ReturnType<typeof initFlowState>;
    ready: Promise<unknown>;
  }
}

const adapters: NativeAdapters = {
  flavour: '@svc/react-native',
  Film,
  review: { requestReview: async () => ({ shown: false }) },
  fonts: null,
};

const FONTS = "'Inter Variable', 'Noto Sans Arabic Variable'";

/** The same words look the same on every machine: all flows get the fonts of the page. */
function withFont(manifest: FlowManifest): FlowManifest {
  return { ...manifest, theme: { ...manifest.theme, fontFamily: FONTS } };
}

function Run({ manifest, options }: { manifest: FlowManifest; options: MountOptions }) {
  const [state, setState] = useState(() => {
    const entry = options.screenId ?? manifest.entryScreenId;
    return startFlow(initFlowState({ ...manifest, entryScreenId: entry }, { platform: 'ios' }));
  });
  window.state = state;
  const screen = findScreen(manifest, state.currentScreenId);
  if (!screen) return <Text testID="ended">{state.status}</Text>;
  const { screenId, reducedMotion, timeMs, customProperties, strict, ...props } = options;
  return (
    <MotionProvider
      {...(reducedMotion === undefined ? {} : { reduced: reducedMotion })}
      {...(timeMs === undefined ? {} : { timeMs })}
    >
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
    </MotionProvider>
  );
}

const icons = new FontFace('Ionicons', `url(${ionicons})`);
document.fonts.add(icons);
// Fonts load when they are first asked for, which would be in the middle of a picture.
window.ready = Promise.all([
  icons.load(),
  document.fonts.load(`16px ${FONTS}`),
  document.fonts.load(`700 16px ${FONTS}`),
  document.fonts.load(`16px ${FONTS}`, 'مرحبا'),
  document.fonts.load(`700 16px ${FONTS}`, 'مرحبا'),
]);

let root: Root | undefined;
window.mountFlow = (manifest, options = {}) => {
  root?.unmount();
  window.seen = { responses: [], actions: [], links: [], opened: [] };
  window.open = (url) => {
    window.seen.opened.push(String(url));
    return null;
  };
  root = createRoot(document.getElementById('root') as HTMLElement);
  const Mode = options.strict === false ? Fragment : StrictMode;
  root.render(
    <Mode>
      <AdaptersContext.Provider value={adapters}>
        <Run manifest={withFont(manifest)} options={options} />
      </AdaptersContext.Provider>
    </Mode>,
  );
};
