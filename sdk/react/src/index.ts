'use client';

export type {
  AnalyticsConfig,
  AnalyticsConsent,
  EventProperties,
  FlowManifest,
  FlowState,
  FlowTerminalAnswerMap,
  FlowTerminalSnapshot,
  IdentifyInput,
  IdentifyResult,
  Layer,
  ResolvedFlow,
  Screen,
  SdkAttributes,
  SdkLogLevel,
  StepResponse,
  SvcConfig,
  SvcErrorReport,
  SvcEvent,
} from '@svc/core';
export {
  buildBrandingFontLoadMap,
  DEFAULT_API_BASE_URL,
  DEFAULT_SDK_LOG_LEVEL,
  SvcApiError,
  SvcChannelArchivedError,
  SvcChannelNotFoundError,
  SvcChannelRequiredError,
  SvcConfigError,
  SvcError,
  SvcNetworkError,
  SvcTimeoutError,
} from '@svc/core';
export {
  type EmailPasswordAuthControls,
  type EmailPasswordAuthHandler,
  EmailPasswordAuthProvider,
  type EmailPasswordAuthProviderProps,
  type EmailPasswordAuthRequest,
  type EmailPasswordAuthResult,
  useEmailPasswordAuth,
} from './auth/email-password';
export {
  type OAuthLoginControls,
  type OAuthLoginHandler,
  OAuthLoginProvider,
  type OAuthLoginProviderProps,
  type OAuthLoginRequest,
  type OAuthLoginResult,
  useOAuthLogin,
  useOAuthLoginOptional,
} from './auth/oauth';
export { Flow, type FlowProps, type ResolveFailure } from './flow/flow';
export type { RelayMeta } from './flow/relay-action';
export * from './flow/resolve-error';
export { ScreenChrome, type ScreenChromeProps } from './flow/screen-chrome';
export {
  type ExternalSurfaceProps,
  type ExternalSurfaces,
  type SurfaceHosting,
  type SurfaceResult,
  SurfaceView,
  type SurfaceViewProps,
} from './flow/surface';
export * from './flow/use-flow';
export { type MotionPolicy, MotionProvider } from './motion/motion-context';
export * from './payment/payment';
export * from './payment/resume';
export * from './payment/return-url';
export * from './provider/index';
export type { Copy } from './renderer/copy';
export { type InterpolationContext, LayerRenderer, type LayerRendererProps } from './renderer/layer-renderer';
export type { ActionMeta } from './renderer/use-actions';
