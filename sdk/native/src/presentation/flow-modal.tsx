import type { FlowTerminalSnapshot } from '@svc/core';
import { resolveLocale } from '@svc/core/internal';
import {
  DEFAULT_COPY,
  FlowAuth,
  previewWords,
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
import { PreviewBadge } from './preview';

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
export function FlowModal(props: FlowModalProps): ReactNode {
  return <PresentedFlow {...props} />;
}

interface PresentedFlowProps extends FlowModalProps {
  /** Token of a preview link, which is presented instead of what the channel serves. */
  preview?: string | undefined;
}

/** `FlowModal`, for previews too. */
export function PresentedFlow({
  presentation = 'modal',
  dismissible = true,
  label,
  onClosed,
  preview,
  ...props
}: PresentedFlowProps): ReactNode {
  const { config } = useSvcContext();
  const palette = usePalette(props.theme);
  const [ended, setEnded] = useState<{ snapshot: FlowTerminalSnapshot | null } | null>(null);
  const end = (snapshot: FlowTerminalSnapshot | null) => setEnded((already) => already ?? { snapshot });
  const running = useFlow({
    ...props,
    preview,
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
      // Whoever opened the link of a preview is told why there is none.
      if (preview === undefined) end(null);
    },
  });
  // What moves off the screen still shows what it showed.
  const showable = running.error
    ? running.retryable || preview !== undefined
    : !running.state || running.state.status === 'running';
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
  const locale = props.locale ?? config.locale ?? state?.session.locale;
  const ownCopy = preview === undefined ? props.copy : { ...props.copy, loadFailed: previewWords(locale).failed };
  const copy = { ...DEFAULT_COPY, ...ownCopy };
  const heading =
    screen &&
    state &&
    screenHeading(screen, { manifest: state.manifest, locale: resolveLocale(state.manifest, locale) });
  const words = flow.loading ? copy.loading : flow.error ? resolveErrorWords({ copy }).title : heading;
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
        <FlowView
          flow={flow}
          props={ownCopy ? { ...props, copy: ownCopy } : props}
          {...(dismissible ? { close: { label: copy.close, run: dismiss } } : {})}
        />
        {preview !== undefined && <PreviewBadge locale={locale} />}
      </Card>
    </FlowAuth>
  );
}
