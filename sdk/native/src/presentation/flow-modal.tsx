import type { FlowTerminalSnapshot } from '@svc/core';
import {
  DEFAULT_COPY,
  FlowAuth,
  resolveErrorWords,
  screenHeading,
  useFlow,
  usePalette,
  useSvcContext,
} from '@svc/react-core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Platform } from 'react-native';
import { type FlowProps, FlowView } from '../flow/flow';
import { Card, type PresentationStyle } from './card';

/** How long iOS takes to put a modal away, in ms. Nothing else can be presented before. */
const CLOSING_MS = 450;

export interface FlowModalProps extends Omit<FlowProps, 'handlesHardwareBack' | 'style'> {
  /** Default `modal`. */
  presentation?: PresentationStyle;
  /**
   * Whether a swipe, a tap beside a sheet, the escape gesture of a screen reader and Android's back button end the
   * flow as abandoned; the button goes back a screen first. Default true.
   */
  dismissible?: boolean;
  /** Accessible name. Default: the first text of the screen. */
  label?: string;
  /**
   * Called once when the presentation is over and another one may begin, with how the run ended; null when none began,
   * since there was nothing to present or it could not be loaded. The component is to be removed then.
   */
  onClosed?: (snapshot: FlowTerminalSnapshot | null) => void;
}

/**
 * Presents the flow of a channel above the app from when it is mounted. Screen readers stay inside meanwhile, and a
 * channel with nothing to serve presents nothing.
 */
export function FlowModal({
  presentation = 'modal',
  dismissible = true,
  label,
  onClosed,
  ...props
}: FlowModalProps): ReactNode {
  const { config } = useSvcContext();
  const palette = usePalette(props.theme);
  const [ended, setEnded] = useState<{ snapshot: FlowTerminalSnapshot | null } | null>(null);
  const end = (snapshot: FlowTerminalSnapshot | null) => setEnded((already) => already ?? { snapshot });
  const running = useFlow({
    ...props,
    onFlowCompleted: (snapshot) => {
      props.onFlowCompleted?.(snapshot);
      end(snapshot);
    },
    onFlowAbandoned: (snapshot) => {
      props.onFlowAbandoned?.(snapshot);
      end(snapshot);
    },
    onSkipped: (reason) => {
      props.onSkipped?.(reason);
      end(null);
    },
  });
  // What moves off the screen still shows what it showed.
  const showable = running.error ? running.retryable : !running.state || running.state.status === 'running';
  const [flow, setFlow] = useState(showable ? running : null);
  if (showable && flow !== running) setFlow(running);

  const latestClosed = useRef(onClosed);
  useEffect(() => {
    latestClosed.current = onClosed;
  });
  const leavingMs = Platform.OS === 'ios' && flow ? CLOSING_MS : 0;
  useEffect(() => {
    if (!ended) return undefined;
    const timer = setTimeout(() => latestClosed.current?.(ended.snapshot), leavingMs);
    return () => clearTimeout(timer);
  }, [ended, leavingMs]);

  if (!flow) return null;
  const { state, screen, interpolationContext, pendingExternalSurface } = flow;
  const dismiss = () => {
    if (!dismissible) return;
    if (state?.status === 'running') flow.abandon();
    else end(null);
  };
  const back = () => {
    if (interpolationContext.canGoBack && pendingExternalSurface === null) flow.respond({ kind: 'go_back' });
    else dismiss();
  };
  const copy = { ...DEFAULT_COPY, ...props.copy };
  const heading = screen && screenHeading(screen, props.locale ?? config.locale ?? state?.session.locale ?? '');
  const words = flow.loading ? copy.loading : flow.error ? resolveErrorWords(props).title : heading;
  return (
    <FlowAuth flow={flow} {...props}>
      <Card
        presentation={presentation}
        palette={palette}
        label={label ?? words ?? undefined}
        visible={!ended}
        dismissible={dismissible}
        onDismiss={dismiss}
        onBack={back}
      >
        <FlowView flow={flow} props={props} {...(dismissible ? { close: { label: copy.close, run: dismiss } } : {})} />
      </Card>
    </FlowAuth>
  );
}
