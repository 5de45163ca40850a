'use client';

import type { InputResponse, Layer, Screen } from '@svc/core';
import { initialScreenDraft } from '@svc/core/internal';
import { type BaseRendererProps, currentYear, type RenderContext, useScreenInput } from '@svc/react-core';
import { Component, type CSSProperties, memo, type ReactNode, useCallback, useMemo, useRef } from 'react';
import { LayerView } from './layers/layer-view';
import { ScreenView } from './renderer/screen-view';

/** States that a screen has only while a visitor uses it. What is left out is as the screen opens. */
export interface ForcedStates {
  /** The answer of the screen's input: chosen options, typed words; null for none. */
  input?: InputResponse | null;
  /** Checkboxes by field key. */
  checkboxes?: Readonly<Record<string, boolean>>;
  /** Shows what is wrong with the answer, as after a tap on Continue. */
  invalid?: boolean;
  /** Whether Continue looks ready. Default true. */
  ready?: boolean;
  /** Whether there is a screen to go back to. Default true. */
  canGoBack?: boolean;
  /** Id of the button whose action is under way. */
  busyLayerId?: string;
}

/** What could not be drawn. `layerId` is null where it is the screen as a whole. */
export interface LayerError {
  screenId: string;
  layerId: string | null;
  error: unknown;
}

export interface EditScreenProps
  extends Pick<
    BaseRendererProps,
    'manifest' | 'screen' | 'locale' | 'theme' | 'mediaMap' | 'branding' | 'interpolationContext' | 'copy'
  > {
  /** Width in px that breakpoints look at. */
  width: number;
  forced?: ForcedStates;
  /** Which branch a conditional layer shows: id of the branch's stack by id of the conditional. */
  branches?: Readonly<Record<string, string>>;
  /** Ids of layers that are not drawn. */
  hidden?: ReadonlySet<string>;
  onLayerError?: (error: LayerError) => void;
  style?: CSSProperties;
}

/**
 * Draws one screen for an editor: outside of a run, without a provider, a network or a way to use it. A layer that is
 * not finished leaves a gap and tells `onLayerError`; everything else of the screen still shows. Keep the identity of
 * what did not change: a screen is drawn anew only when one of its props is another.
 */
export const EditScreen = memo(function EditScreen(props: EditScreenProps): ReactNode {
  const { screen, branches, onLayerError } = props;
  const shown = useMemo(() => withBranches(screen, branches), [screen, branches]);
  const latest = useRef(onLayerError);
  latest.current = onLayerError;
  const report = useCallback(
    (layerId: string | null, error: unknown) => latest.current?.({ screenId: screen.id, layerId, error }),
    [screen.id],
  );
  return (
    <Guard subject={shown} report={report}>
      <Drawn {...props} screen={shown} report={report} />
    </Guard>
  );
});

type Report = (layerId: string | null, error: unknown) => void;

function Drawn({ width, forced, hidden, style, report, ...props }: EditScreenProps & { report: Report }) {
  const { input } = useScreenInput({ ...props, mode: 'static', previewWidthPx: width }, 'web');
  const View = useMemo(() => {
    function GuardedLayer({ layer }: { layer: Layer }) {
      if (hidden?.has(layer.id)) return null;
      return (
        <Guard subject={layer} layerId={layer.id} report={report}>
          <LayerView layer={layer} />
        </Guard>
      );
    }
    return GuardedLayer;
  }, [hidden, report]);
  const adapt = useCallback((context: RenderContext) => ({ ...force(context, forced), View }), [forced, View]);
  return <ScreenView input={input} adapt={adapt} className={undefined} style={style} nonce={undefined} />;
}

function force(context: RenderContext, forced: ForcedStates = {}): RenderContext {
  // Read anew each time: what an option or a field starts with may be what is edited.
  const { input, checkboxes } = initialScreenDraft(context.layers, currentYear());
  return {
    ...context,
    draft: {
      input: forced.input === undefined ? input : forced.input,
      checkboxes: { ...checkboxes, ...forced.checkboxes },
    },
    attempted: forced.invalid ?? false,
    ready: forced.ready ?? true,
    canGoBack: () => forced.canGoBack ?? true,
    pendingAction: forced.busyLayerId ?? null,
  };
}

/** The screen with each conditional left with the branch that is to show. What has none keeps its identity. */
function withBranches(screen: Screen, branches: EditScreenProps['branches'] = {}): Screen {
  if (Object.keys(branches).length === 0) return screen;
  return choose(screen, branches) as Screen;
}

function choose(value: unknown, branches: Readonly<Record<string, string>>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const chosen = value.map((one) => choose(one, branches));
    return chosen.some((one, at) => one !== value[at]) ? chosen : value;
  }
  const object = value as Readonly<Record<string, unknown>>;
  let chosen = object;
  for (const [name, member] of Object.entries(object)) {
    const next = choose(member, branches);
    if (next !== member) chosen = { ...chosen, [name]: next };
  }
  const branch = object.kind === 'conditional' ? branches[String(object.id)] : undefined;
  return branch === undefined ? chosen : { ...chosen, cases: [], elseRootLayerId: branch };
}

interface GuardProps {
  /** Is tried again when it is another. */
  subject: unknown;
  layerId?: string;
  report: Report;
  children: ReactNode;
}

/** Keeps what cannot be drawn from taking more with it than itself. */
class Guard extends Component<GuardProps, { failed: boolean; subject: unknown }> {
  override state = { failed: false, subject: this.props.subject };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  static getDerivedStateFromProps({ subject }: GuardProps, state: { subject: unknown }) {
    return subject === state.subject ? null : { failed: false, subject };
  }

  override componentDidCatch(error: unknown) {
    this.props.report(this.props.layerId ?? null, error);
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return this.props.layerId ? <span data-layer={this.props.layerId} style={GAP} /> : null;
  }
}

const GAP: CSSProperties = {
  display: 'block',
  minHeight: 44,
  borderRadius: 8,
  border: '1.5px dashed currentColor',
  opacity: 0.35,
};
