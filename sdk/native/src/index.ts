// What an app may import, beside the components that its flavour binds to its adapters.
export type {
  AnalyticsConfig,
  AttributionAttributes,
  Branding,
  ButtonAction,
  ConsumedDraftPayload,
  EventProperties,
  ExternalSurfaceNode,
  FlowCallbacks,
  FlowCorrelation,
  FlowEvent,
  FlowLoaded,
  FlowManifest,
  FlowSkipReason,
  FlowState,
  FlowStep,
  FlowTerminalAnswerMap,
  FlowTerminalSnapshot,
  IdentifyInput,
  IdentifyResult,
  Layer,
  LoadFailure,
  NormalizedSurfaceOutcome,
  PurchaseCommerce,
  ResolveCacheSummary,
  ResolvedFlow,
  Screen,
  SdkAttributes,
  SdkLogger,
  SdkLogLevel,
  StepResponse,
  SvcErrorReport,
  SvcEvent,
  SvcTypes,
  ThemePreference,
  Validation,
  ValidationProblem,
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
  validateFlowCorrelation,
  validateFlowDevice,
  validateFlowTerminalSnapshot,
  validateResolveAssignment,
} from '@svc/core';
export { EventQueue } from '@svc/core/internal';
export {
  type ActionMeta,
  buildSdkEvent,
  type Copy,
  clearManifestResolveCache,
  createSdkLogger,
  DEFAULT_RESOLVE_ERROR_RETRY_LABEL,
  DEFAULT_RESOLVE_ERROR_TITLE,
  type EmailPasswordAuthControls,
  type EmailPasswordAuthHandler,
  EmailPasswordAuthProvider,
  type EmailPasswordAuthProviderProps,
  type EmailPasswordAuthRequest,
  type EmailPasswordAuthResult,
  type ExternalSurfaceProps,
  type ExternalSurfaces,
  type FlowInterpolationContext,
  generateEventId,
  getResolvedAppUserId,
  getSdkLogger,
  getSdkLogLevel,
  type InterpolationContext,
  identify,
  listManifestResolveCacheEntries,
  logEvent,
  type MotionPolicy,
  MotionProvider,
  type OAuthLoginControls,
  type OAuthLoginHandler,
  OAuthLoginProvider,
  type OAuthLoginProviderProps,
  type OAuthLoginRequest,
  type OAuthLoginResult,
  prefetch,
  prefetchAll,
  type RelayMeta,
  type ResolveFailure,
  registerSdkLogLevel,
  reset,
  type SdkEventInput,
  type SurfaceHosting,
  type SurfaceResult,
  type SurfaceViewProps,
  screen,
  setBillingIdentity,
  setCustomUserId,
  setUserId,
  type TrackInput,
  track,
  type UseFlowOptions,
  type UseFlowResult,
  useEmailPasswordAuth,
  useEventQueue,
  useFlow,
  useOAuthLogin,
  useOAuthLoginOptional,
  useSvc,
  useSvcCustomUserId,
  useSvcPrefetch,
} from '@svc/react-core';
export type { FontAdapter } from './adapters/adapters';
export {
  extractAppsFlyerPayload,
  normalizeAppsFlyerConversionPayload,
  normalizeAppsFlyerDeepLinkPayload,
} from './attribution/appsflyer-payload';
export {
  type AttributionProvider,
  createAppsFlyerAttributionProvider,
  createDefaultAttributionProviders,
} from './attribution/providers';
export {
  type AttributionRuntime,
  type AttributionRuntimeOptions,
  buildAttributionStorageKey,
  createAttributionRuntime,
} from './attribution/runtime';
export type { AttributionSnapshot } from './attribution/snapshot';
export type { FlowProps } from './flow/flow';
export { DefaultResolveError, type DefaultResolveErrorProps } from './flow/resolve-error';
export { ScreenChrome, type ScreenChromeProps } from './flow/screen-chrome';
export { SurfaceView } from './flow/surface';
export { APP_REVIEW_POST_PROMPT_DELAY_MS } from './host/app-review';
export { LayerMotionShell, type LayerMotionShellProps } from './motion/layer-motion-shell';
export type { PresentationStyle } from './presentation/card';
export type { FlowModalProps } from './presentation/flow-modal';
export { type PresentFlowOptions, presentFlow, presentFlowLink } from './presentation/present-flow';
export { useFlowLinks } from './presentation/use-flow-links';
export type { AttributionConfig, NativeSvcConfig as SvcConfig } from './provider/config';
export { bindNavigationState, focusedRouteName, type NavigationStateLike } from './provider/navigation';
export type { SvcProviderProps } from './provider/provider';
export type { LayerRendererProps } from './renderer/layer-renderer';
export {
  presentRevenueCatPaywall,
  RevenueCatModuleMissingError,
  type RevenueCatPaywallConfig,
} from './surfaces/revenuecat';
export {
  extractRevenueCatPurchaseCommerce,
  normalizeRcPaywallResult,
  type RevenueCatCustomerInfo,
  type RevenueCatOffering,
  type RevenueCatOfferings,
} from './surfaces/revenuecat-result';
export {
  normalizeSuperwallResult,
  presentSuperwallPaywall,
  SuperwallModuleMissingError,
  type SuperwallPaywallConfig,
} from './surfaces/superwall';
