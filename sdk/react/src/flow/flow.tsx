import { type BaseFlowProps, FlowAuth, type UseFlowResult, useFlow, usePalette, useSvcContext } from '@svc/react-core';
import type { CSSProperties, ReactNode } from 'react';
import { LayerRenderer } from '../renderer/layer-renderer';
import { DefaultResolveError } from './resolve-error';
import { SurfaceView } from './surface';
import { Waiting } from './waiting';

export interface FlowProps extends BaseFlowProps {
  /**
   * Leaves for a payment link, whose `client_reference_id` names the checkout attempt; the run goes on when the page is
   * opened again by the return address. Default: this tab goes there. For shells with a browser of their own, and for
   * stand-ins of the payment page.
   */
  openPaymentLink?: (url: string) => void;
  className?: string;
  style?: CSSProperties;
}

/**
 * Runs and draws the flow of a channel. Fills its container, so give that a height. Draws nothing once the run has
 * ended; what comes next is the host's, from `onFlowCompleted`.
 */
export function Flow(props: FlowProps) {
  const flow = useFlow(props);
  return (
    <FlowAuth flow={flow} {...props}>
      <FlowView flow={flow} props={props} />
    </FlowAuth>
  );
}

function FlowView({ flow, props }: { flow: UseFlowResult; props: FlowProps }): ReactNode {
  const { config } = useSvcContext();
  const theme = usePalette(props.theme);
  const { fallback, loading, locale, previewWidthPx, copy, className, style, onAction } = props;
  const { state, manifest, screen, pendingExternalSurface: surface } = flow;
  if (flow.loading) return loading === undefined ? <Waiting palette={theme} /> : loading;
  if (flow.error) {
    const { error, retry, retryable } = flow;
    if (typeof fallback === 'function') return fallback({ error, retry, retryable });
    return fallback === undefined ? <DefaultResolveError retry={retry} theme={theme} /> : fallback;
  }
  if (state?.status !== 'running' || !manifest) return null;
  if (surface) {
    const { externalSurfaces, externalSurfacePresenter, openPaymentLink } = props;
    return (
      <SurfaceView
        key={`${surface.id} ${state.history.length}`}
        flow={flow}
        node={surface}
        {...(externalSurfaces ? { externalSurfaces } : {})}
        {...(externalSurfacePresenter ? { externalSurfacePresenter } : {})}
        {...(openPaymentLink ? { openPaymentLink } : {})}
      />
    );
  }
  if (!screen) return null;
  return (
    <LayerRenderer
      manifest={manifest}
      screen={screen}
      locale={locale ?? config.locale ?? state.session.locale}
      theme={theme}
      mediaMap={flow.mediaMap}
      {...(flow.branding ? { branding: flow.branding } : {})}
      interpolationContext={flow.interpolationContext}
      onRespond={flow.respond}
      {...(onAction ? { onAction } : {})}
      onExternalLink={flow.trackExternalLinkOpened}
      {...(previewWidthPx === undefined ? {} : { previewWidthPx })}
      visit={state.history.length}
      {...(copy ? { copy } : {})}
      {...(className === undefined ? {} : { className })}
      {...(style ? { style } : {})}
    />
  );
}
