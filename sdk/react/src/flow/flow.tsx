import type { Palette } from '@svc/core';
import { type CSSProperties, type ReactNode, useEffect } from 'react';
import { type EmailPasswordAuthHandler, EmailPasswordAuthProvider, useEmailPasswordAuth } from '../auth/email-password';
import { type OAuthLoginHandler, OAuthLoginProvider, useOAuthLogin } from '../auth/oauth';
import { useSvcContext } from '../provider/context';
import type { Copy } from '../renderer/copy';
import { LayerRenderer, type LayerRendererProps } from '../renderer/layer-renderer';
import { DefaultResolveError } from './resolve-error';
import { type SurfaceHosting, SurfaceView } from './surface';
import { type UseFlowOptions, type UseFlowResult, useFlow } from './use-flow';
import { Waiting } from './waiting';

/** What a host's recovery UI gets. */
export interface ResolveFailure {
  error: Error;
  retry: () => void;
}

export interface FlowProps extends Omit<UseFlowOptions, 'resume'>, SurfaceHosting {
  /** Palette. Default `light`. */
  theme?: Palette;
  /** Shown when the flow cannot be loaded; records nothing. Default: `DefaultResolveError`. */
  fallback?: ReactNode | ((failure: ResolveFailure) => ReactNode);
  /** Shown while the flow is loading. Default: a spinner. */
  loading?: ReactNode;
  /** Answers `oauth_login` layers. */
  onOAuthLogin?: OAuthLoginHandler;
  /** Answers `email_password_auth` layers. */
  onEmailPasswordAuth?: EmailPasswordAuthHandler;
  /** Milliseconds after which a sign-in counts as failed. Default: never. */
  authTimeoutMs?: number;
  /** Called first for every tapped button. */
  onAction?: LayerRendererProps['onAction'];
  /** Locale of the texts. Default: the config's, else the manifest's default. */
  locale?: string;
  /** Width in px that breakpoints look at. Default: the measured width. */
  previewWidthPx?: number;
  /** Words of the renderer itself. Default: English. */
  copy?: Partial<Copy>;
  className?: string;
  style?: CSSProperties;
}

/**
 * Runs and draws the flow of a channel. Fills its container, so give that a height. Draws nothing once the run has
 * ended; what comes next is the host's, from `onFlowCompleted`.
 */
export function Flow(props: FlowProps) {
  const { onOAuthLogin, onEmailPasswordAuth, authTimeoutMs } = props;
  const flow = useFlow(props);
  const timeout = authTimeoutMs === undefined ? {} : { timeoutMs: authTimeoutMs };
  return (
    <OAuthLoginProvider respond={flow.respond} {...timeout}>
      <EmailPasswordAuthProvider respond={flow.respond} {...timeout}>
        {onOAuthLogin && <AttachOAuth handler={onOAuthLogin} />}
        {onEmailPasswordAuth && <AttachEmailPassword handler={onEmailPasswordAuth} />}
        <FlowView flow={flow} props={props} />
      </EmailPasswordAuthProvider>
    </OAuthLoginProvider>
  );
}

function FlowView({ flow, props }: { flow: UseFlowResult; props: FlowProps }): ReactNode {
  const { config } = useSvcContext();
  const { theme = 'light', fallback, loading, locale, previewWidthPx, copy, className, style, onAction } = props;
  const { state, manifest, screen, pendingExternalSurface: surface } = flow;
  if (flow.loading) return loading === undefined ? <Waiting palette={theme} /> : loading;
  if (flow.error) {
    const { error, retry } = flow;
    if (typeof fallback === 'function') return fallback({ error, retry });
    return fallback === undefined ? <DefaultResolveError retry={retry} theme={theme} /> : fallback;
  }
  if (state?.status !== 'running' || !manifest) return null;
  if (surface) {
    const { externalSurfaces, externalSurfacePresenter } = props;
    return (
      <SurfaceView
        key={`${surface.id} ${state.history.length}`}
        flow={flow}
        node={surface}
        {...(externalSurfaces ? { externalSurfaces } : {})}
        {...(externalSurfacePresenter ? { externalSurfacePresenter } : {})}
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

function AttachOAuth({ handler }: { handler: OAuthLoginHandler }) {
  const { attach } = useOAuthLogin();
  useEffect(() => attach(handler), [attach, handler]);
  return null;
}

function AttachEmailPassword({ handler }: { handler: EmailPasswordAuthHandler }) {
  const { attach } = useEmailPasswordAuth();
  useEffect(() => attach(handler), [attach, handler]);
  return null;
}
