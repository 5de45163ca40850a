// The public API of @svc/core, name by name: what an app needs, and who writes a client for another framework. What the
// packages of this repository share beyond it stands in internal.ts.

export type { AttributionAttributes } from './analytics/attribution-keys';
export type { EventProperties } from './analytics/limits';
export type { ProductEvent } from './analytics/product';
export { CHECKOUT_RESUME_KEY, PERSISTED_APP_USER_ID_KEY } from './analytics/storage-keys';
export type { IdentifyInput, IdentifyResult, MarketingConsent } from './api/identify';
export {
  MANIFEST_RESOLVE_CACHE_KEY_PREFIX,
  manifestResolveCacheKey,
  parseManifestResolveCacheKey,
  type ResolveCacheSummary,
} from './api/resolve-cache';
export type { ResolveResult, ResolveSource } from './api/resolver';
export type {
  Branding,
  ColorPreset,
  FontFamily,
  GradientPreset,
  Identity,
  Integrations,
  ResolvedFlow,
} from './api/types';
export { SvcClient } from './client/client';
export type { SvcClientOptions, SvcEvent, TrackEvent } from './client/options';
export { SvcServerClient } from './client/server-client';
export {
  type AnalyticsConfig,
  type AnalyticsConsent,
  DEFAULT_API_BASE_URL,
  type EventPersistence,
  type LoadingStrategy,
  type SvcConfig,
  type SvcPlatform,
  type ThemePreference,
} from './config';
export {
  SvcApiError,
  SvcChannelArchivedError,
  SvcChannelNotFoundError,
  SvcChannelRequiredError,
  SvcConfigError,
  SvcError,
  SvcNetworkError,
  SvcTimeoutError,
} from './errors';
export type { EventQueue } from './events/queue';
export type { EventPath, LoadFailure, SvcErrorReport } from './events/report';
export {
  type AnswerValue,
  buildCompletionResponses,
  type FlowTerminalAnswerMap,
  isAuthTerminalExportResponseKey,
  stepResponseToCompletionValue,
  stripAuthResponsesForTerminalExport,
} from './flow/answers';
export { abandonFlow, type StepOptions, startFlow, submitResponse } from './flow/machine';
export {
  type AddressValue,
  type ConsumedDraftPayload,
  type InputResponse,
  isEligibleConsumedDraft,
  type OAuthProviderPayload,
  type PrimaryResponse,
  type SdkAttributes,
  type SdkAttributeValue,
  type StepResponse,
  type StoredResponse,
  type StoredResponses,
} from './flow/responses';
export type {
  CustomProperties,
  FlowCorrelation,
  FlowTerminalSnapshot,
  TerminalPayloadOptions,
} from './flow/snapshot';
export {
  type FlowSession,
  type FlowState,
  type FlowStatus,
  findExternalSurface,
  findScreen,
  initFlowState,
} from './flow/state';
export { DEFAULT_SDK_LOG_LEVEL, type SdkLogger, type SdkLogLevel } from './host/log';
export { createMemoryStore } from './host/memory-store';
export type {
  AsyncKeyValueStore,
  FetchInit,
  FetchLike,
  FetchResponse,
  KeyValueStore,
  MaybePromise,
  ParsedUrl,
  Platform,
} from './host/platform';
export type {
  ChoiceLayer,
  InputLayer,
  LayerKind,
  NormalizedSurfaceOutcome,
  OAuthPreset,
  PermissionOutcome,
  SurfaceOutcome,
} from './manifest/types';
export type * from './manifest/types.gen';
export {
  type FlowCallbacks,
  FlowController,
  type FlowControllerOptions,
  type FlowLoaded,
  type FlowSkipReason,
  type FlowView,
} from './run/flow-controller';
export type { FlowEvent, FlowEventContext, FlowEventInput, FlowEventName, FlowEventProperty } from './run/flow-event';
export type { FlowStep, PurchaseCommerce } from './run/flow-run';
export type { Validation, ValidationProblem } from './schema/validation';
export {
  validateFlowCorrelation,
  validateFlowDevice,
  validateFlowTerminalSnapshot,
  validateResolveAssignment,
} from './schema/validators';
export { buildBrandingFontLoadMap } from './style/font';
export { bucketArm, type ExperimentArm } from './tools/bucketing';
export type {
  AppAnswers,
  AppAttributes,
  AppCustomProperties,
  AppEventArguments,
  AppEventName,
  AppEvents,
  SvcTypes,
} from './types';
