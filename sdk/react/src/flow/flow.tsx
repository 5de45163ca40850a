import type { Palette } from '@svc/core/internal';
import { type BaseFlowProps, FlowAuth, type UseFlowResult, useFlow, useSvcContext } from '@svc/react-core';
import type { CSSProperties, ReactNode } from 'react';
import { useModule } from '../host/use-module';
import { LayerRenderer } from '../renderer/layer-renderer';
import { EachPalette } from '../style/each-palette';
import { loadOnDemand } from './load-on-demand';
import { DefaultResolveError } from './resolve-error';
import { SurfaceView } from './surface';
import { Waiting, type Way } from './waiting';

export interface FlowProps extends BaseFlowProps {
  /**
   * Leaves for a payment link, whose `client_reference_id` names the checkout attempt; the run goes on when the page is
   * opened again by the return address. Default: this tab goes there. For shells with a browser of their own, and for
   * stand-ins of the payment page.
   */
  openPaymentLink?: (url: string) => void;
  className?: string;
  style?: CSSProperties;
  /** Nonce of the page's Content-Security-Policy for the style elements. Default: that of `SvcProvider`. */
  nonce?: string;
}

/**
 * Runs and draws the flow of a channel. Fills its container, so give that a height. Draws nothing once the run has
 * ended; what comes next is the host's, from `onFlowCompleted`.
 */
export function Flow(props: FlowProps) {
  const flow = useFlow(props);
  return (
    <FlowAuth flow={flow} {...props}>
      <EachPalette preference={props.theme}>
        {(palette) => <FlowView flow={flow} props={props} palette={palette} />}
      </EachPalette>
    </FlowAuth>
  );
}

interface FlowViewProps {
  flow: UseFlowResult;
  props: FlowProps;
  palette: Palette;
  /** Closes what the flow stands in, while it has no screen that could. */
  close?: Way;
}

/** What a run shows now. */
export function FlowView({ flow, props, palette, close }: FlowViewProps): ReactNode {
  const { config } = useSvcContext();
  const { fallback, loading, locale, previewWidthPx, copy, className, style, nonce, onAction } = props;
  const { state, manifest, screen, pendingExternalSurface: surface } = flow;
  // Ahead of the first surface, which may come when the page has no connection any more.
  useModule(manifest?.externalSurfaceNodes?.length ? loadOnDemand : null);
  const host = { locale: locale ?? config.locale, className, style, nonce };
  const frame = { ...host, palette };
  if (flow.loading) return loading === undefined ? <Waiting {...frame} copy={copy} action={close} /> : loading;
  if (flow.error) {
    const { error, retry, retryable } = flow;
    if (typeof fallback === 'function') return fallback({ error, retry, retryable });
    if (fallback !== undefined) return fallback;
    return (
      <DefaultResolveError {...host} theme={palette} retryable={retryable} retry={retry} copy={copy} close={close} />
    );
  }
  if (state?.status !== 'running' || !manifest) return null;
  if (surface) {
    const { externalSurfaces, externalSurfacePresenter, openPaymentLink } = props;
    return (
      <SurfaceView
        key={`${surface.id} ${state.history.length}`}
        flow={flow}
        node={surface}
        copy={copy}
        frame={frame}
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
      theme={palette}
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
      {...(nonce === undefined ? {} : { nonce })}
    />
  );
}
