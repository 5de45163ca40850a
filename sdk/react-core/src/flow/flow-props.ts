import type { ThemePreference } from '@svc/core';
import type { ReactNode } from 'react';
import type { EmailPasswordAuthHandler } from '../auth/email-password';
import type { OAuthLoginHandler } from '../auth/oauth';
import type { Copy } from '../renderer/copy';
import type { BaseRendererProps } from '../renderer/renderer-props';
import type { SurfaceHosting } from './surface';
import type { UseFlowOptions } from './use-flow';

/** What a host's recovery UI gets. */
export interface ResolveFailure {
  error: Error;
  /** Whether `retry` can help; without it a way on is all there is to offer. */
  retryable: boolean;
  retry: () => void;
}

/** Props of `Flow` that mean the same on every platform. */
export interface BaseFlowProps extends Omit<UseFlowOptions, 'resume' | 'preview'>, SurfaceHosting {
  /** Palette; `system` follows the device. Default: the config's, else `light`. */
  theme?: ThemePreference;
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
  onAction?: BaseRendererProps['onAction'];
  /** Locale of the texts. Default: the config's, else the manifest's default. */
  locale?: string;
  /** Width in px that breakpoints look at. Default: the measured width. */
  previewWidthPx?: number;
  /** Words of the renderer itself. Default: English. */
  copy?: Partial<Copy>;
}
