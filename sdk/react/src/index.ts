'use client';

export type {
  AnalyticsConfig,
  AnalyticsConsent,
  ButtonAction,
  ConsumedDraftPayload,
  EventProperties,
  ExternalSurfaceNode,
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
  abandonFlow,
  buildBrandingFontLoadMap,
  buildCompletionResponses,
  DEFAULT_API_BASE_URL,
  DEFAULT_SDK_LOG_LEVEL,
  findExternalSurface,
  findScreen,
  initFlowState,
  isAuthTerminalExportResponseKey,
  isEligibleConsumedDraft,
  MANIFEST_RESOLVE_CACHE_KEY_PREFIX,
  manifestResolveCacheKey,
  PERSISTED_APP_USER_ID_KEY,
  parseManifestResolveCacheKey,
  SvcApiError,
  SvcChannelArchivedError,
  SvcChannelNotFoundError,
  SvcChannelRequiredError,
  SvcConfigError,
  SvcError,
  SvcNetworkError,
  SvcTimeoutError,
  startFlow,
  stepResponseToCompletionValue,
  stripAuthResponsesForTerminalExport,
  submitResponse,
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
