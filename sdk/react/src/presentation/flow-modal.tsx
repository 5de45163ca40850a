import type { FlowTerminalSnapshot } from '@svc/core';
import { resolveLocale } from '@svc/core/internal';
import { DEFAULT_COPY, FlowAuth, resolveErrorWords, screenHeading, useFlow, useSvcContext } from '@svc/react-core';
import { type ReactNode, useEffect, useRef } from 'react';
import { type FlowProps, FlowView } from '../flow/flow';
import { loadOnDemand } from '../flow/load-on-demand';
import { useModule } from '../host/use-module';
import { EachPalette } from '../style/each-palette';
import { Dialog, type PresentationStyle } from './dialog';

export interface FlowModalProps extends Omit<FlowProps, 'className' | 'style'> {
  /** Default `modal`. */
  presentation?: PresentationStyle;
  /** Whether Escape, going back and a tap beside the flow end it as abandoned. Default true. */
  dismissible?: boolean;
  /**
   * Whether going back closes the flow instead of leaving the page, by an entry in the history that goes with it.
   * Default true.
   */
  history?: boolean;
  /** Accessible name. Default: the first text of the screen. */
  label?: string;
  /**
   * Called once when the presentation is over, with how the run ended; null when none began, since there was nothing
   * to present or it could not be loaded. The component is to be removed then.
   */
  onClosed?: (snapshot: FlowTerminalSnapshot | null) => void;
}

/**
 * Presents the flow of a channel above the page from when it is mounted. The rest of the page is inert meanwhile,
 * the focus returns to where it was, and a channel with nothing to serve presents nothing.
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
  history = true,
  label,
  onClosed,
  preview,
  ...props
}: PresentedFlowProps): ReactNode {
  const { config } = useSvcContext();
  const extras = useModule(preview === undefined ? null : loadOnDemand);
  const leave = useRef(() => Promise.resolve());
  const closed = useRef(false);
  const close = (snapshot: FlowTerminalSnapshot | null) => {
    if (closed.current) return;
    closed.current = true;
    // The host may navigate in its callback, which must not meet a step back that is still under way.
    void leave.current().then(() => onClosed?.(snapshot));
  };
  const flow = useFlow({
    ...props,
    preview,
    onFlowCompleted: (snapshot) => {
      props.onFlowCompleted?.(snapshot);
      close(snapshot);
    },
    onFlowAbandoned: (snapshot) => {
      props.onFlowAbandoned?.(snapshot);
      close(snapshot);
    },
    onSkipped: (reason) => {
      props.onSkipped?.(reason);
      // Whoever opened the link of a preview is told why there is none.
      if (preview === undefined) close(null);
    },
  });
  const { state, screen } = flow;
  const latest = useRef(flow);
  useEffect(() => {
    latest.current = flow;
  });
  const dismiss = () => {
    if (latest.current.state?.status === 'running') latest.current.abandon();
    else close(null);
  };

  const locale = props.locale ?? config.locale ?? state?.session.locale;
  const ownCopy = extras ? { ...props.copy, loadFailed: extras.previewWords(locale).failed } : props.copy;
  const copy = { ...DEFAULT_COPY, ...ownCopy };
  const heading =
    screen &&
    state &&
    screenHeading(screen, { manifest: state.manifest, locale: resolveLocale(state.manifest, locale) });
  const words = flow.loading ? copy.loading : flow.error ? resolveErrorWords({ copy }).title : heading;
  // Nothing to draw while a surface of the host's own is up, and once the run is over.
  if (flow.error && !flow.retryable && preview === undefined) return null;
  return (
    <FlowAuth flow={flow} {...props}>
      <EachPalette preference={props.theme}>
        {(palette) => (
          <Dialog
            presentation={presentation}
            palette={palette}
            label={label ?? words ?? document.title}
            dismissible={dismissible}
            history={history}
            shown={screen ? `${screen.id} ${state?.history.length}` : flow.error ? 'error' : 'loading'}
            onDismiss={dismiss}
            leaveRef={leave}
          >
            <FlowView
              flow={flow}
              props={ownCopy ? { ...props, copy: ownCopy } : props}
              palette={palette}
              {...(dismissible ? { close: { label: copy.close, run: dismiss } } : {})}
            />
            {extras && <extras.PreviewBadge locale={locale} />}
          </Dialog>
        )}
      </EachPalette>
    </FlowAuth>
  );
}
