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
export * from './flow/use-flow';
export * from './payment/payment';
export * from './payment/resume';
export * from './payment/return-url';
export * from './provider/index';
