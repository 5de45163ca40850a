import type { Palette } from '@svc/core';
import { type CSSProperties, type ReactNode, useEffect } from 'react';
import { type EmailPasswordAuthHandler, EmailPasswordAuthProvider, useEmailPasswordAuth } from '../auth/email-password';
import { type OAuthLoginHandler, OAuthLoginProvider, useOAuthLogin } from '../auth/oauth';
import { useSvcContext } from '../provider/context';
import type { Copy } from '../renderer/copy';
import { LayerRenderer, type LayerRendererProps } from '../renderer/layer-renderer';
import { DefaultResolveError } from './resolve-error';
import { Spinner } from './spinner';
import { type ExternalSurfaces, SurfaceView } from './surface';
import { type UseFlowOptions, useFlow } from './use-flow';

export interface FlowProps extends Omit<UseFlowOptions, 'resume'> {
  /** Palette. Default `light`. */
  theme?: Palette;
  /** Wanted locale of texts. Default: the config's. */
  locale?: string;
  /** Shown instead of the default view when nothing can be served. Records nothing. */
  fallback?: ReactNode;
  externalSurfaces?: ExternalSurfaces;
  /** Answers the `oauth_login` layers of the flow. */
  onOAuthLogin?: OAuthLoginHandler;
  /** Answers the `email_password_auth` layers of the flow. */
  onEmailPasswordAuth?: EmailPasswordAuthHandler;
  /** Called first for every tapped button. */
  onAction?: LayerRendererProps['onAction'];
  /** Words of the renderer itself. Default: English. */
  copy?: Partial<Copy>;
  /** Width in px that breakpoints look at. Default: the measured width. */
  previewWidthPx?: number;
  className?: string;
  style?: CSSProperties;
}

/**
 * Loads the flow of a channel, runs and draws it. The run starts when the component mounts and counts as abandoned
 * when it goes before the end; after the end nothing is drawn.
 */
export function Flow(props: FlowProps) {
  const { onOAuthLogin, onEmailPasswordAuth } = props;
  let view = <FlowView {...props} />;
  if (onOAuthLogin) {
    view = (
      <OAuthLoginProvider>
        <OAuthAttachment handler={onOAuthLogin} />
        {view}
      </OAuthLoginProvider>
    );
  }
  if (onEmailPasswordAuth) {
    view = (
      <EmailPasswordAuthProvider>
        <EmailPasswordAttachment handler={onEmailPasswordAuth} />
        {view}
      </EmailPasswordAuthProvider>
    );
  }
  return view;
}

function FlowView(props: FlowProps) {
  const { channelId, theme, locale, fallback, externalSurfaces, onAction, copy, previewWidthPx, className, style } =
    props;
  const { config } = useSvcContext();
  const run = useFlow(props);
  const { flow, state, screen, pendingExternalSurface } = run;

  if (run.loading) return <Spinner label={copy?.loading ?? 'Loading'} />;
  if (run.resolveFailed) return fallback === undefined ? <DefaultResolveError retry={run.retry} /> : fallback;
  if (!flow || state?.status !== 'running') return null;
  if (pendingExternalSurface) {
    return (
      <SurfaceView
        // A surface that comes up again is presented again.
        key={state.history.length}
        node={pendingExternalSurface}
        externalSurfaces={externalSurfaces}
        channelId={channelId.trim()}
        flow={flow}
        state={state}
        report={(outcome, extra) => run.reportExternalSurfaceOutcome(pendingExternalSurface.id, outcome, extra)}
      />
    );
  }
  if (!screen) return null;
  const wanted = locale ?? config.locale ?? state.session.locale;
  return (
    <LayerRenderer
      manifest={flow.manifest}
      screen={screen}
      locale={wanted}
      theme={theme ?? 'light'}
      mediaMap={flow.mediaMap}
      {...(flow.branding ? { branding: flow.branding } : {})}
      interpolationContext={run.interpolationContext}
      onRespond={run.respond}
      {...(onAction ? { onAction } : {})}
      onExternalLink={run.trackExternalLinkOpened}
      visit={state.history.length}
      {...(copy ? { copy } : {})}
      {...(previewWidthPx === undefined ? {} : { previewWidthPx })}
      {...(className ? { className } : {})}
      {...(style ? { style } : {})}
    />
  );
}

function OAuthAttachment({ handler }: { handler: OAuthLoginHandler }) {
  const { attach } = useOAuthLogin();
  useEffect(() => attach(handler), [attach, handler]);
  return null;
}

function EmailPasswordAttachment({ handler }: { handler: EmailPasswordAuthHandler }) {
  const { attach } = useEmailPasswordAuth();
  useEffect(() => attach(handler), [attach, handler]);
  return null;
}
