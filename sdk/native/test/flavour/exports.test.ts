import * as flavour from 'svc-flavour';

/** Everything an app may import, the same in both flavours. A name that goes or comes is a change that users notice. */
test('exports what is promised and nothing else', () => {
  expect(Object.keys(flavour).sort()).toEqual(
    [
      // Provider and hooks
      'SvcProvider',
      'useSvc',
      'useSvcCustomUserId',
      'useEventQueue',
      // Errors
      'SvcApiError',
      'SvcChannelArchivedError',
      'SvcChannelNotFoundError',
      'SvcChannelRequiredError',
      'SvcConfigError',
      'SvcError',
      'SvcNetworkError',
      'SvcTimeoutError',
      // Logging
      'DEFAULT_SDK_LOG_LEVEL',
      'createSdkLogger',
      'getSdkLogger',
      'getSdkLogLevel',
      'registerSdkLogLevel',
      // Prefetch and cache
      'prefetch',
      'prefetchAll',
      'useSvcPrefetch',
      'MANIFEST_RESOLVE_CACHE_KEY_PREFIX',
      'manifestResolveCacheKey',
      'parseManifestResolveCacheKey',
      'listManifestResolveCacheEntries',
      'clearManifestResolveCache',
      // Flow
      'Flow',
      'FlowModal',
      'presentFlow',
      'presentFlowLink',
      'useFlowLinks',
      'useFlow',
      'LayerRenderer',
      'ScreenChrome',
      'SurfaceView',
      'MotionProvider',
      'LayerMotionShell',
      'DefaultResolveError',
      'DEFAULT_RESOLVE_ERROR_TITLE',
      'DEFAULT_RESOLVE_ERROR_RETRY_LABEL',
      'buildBrandingFontLoadMap',
      // Sign-in
      'OAuthLoginProvider',
      'useOAuthLogin',
      'useOAuthLoginOptional',
      'EmailPasswordAuthProvider',
      'useEmailPasswordAuth',
      // Paywalls
      'presentRevenueCatPaywall',
      'normalizeRcPaywallResult',
      'extractRevenueCatPurchaseCommerce',
      'RevenueCatModuleMissingError',
      'presentSuperwallPaywall',
      'normalizeSuperwallResult',
      'SuperwallModuleMissingError',
      // Events
      'EventQueue',
      'buildSdkEvent',
      'generateEventId',
      'getResolvedAppUserId',
      'PERSISTED_APP_USER_ID_KEY',
      // Analytics and people
      'logEvent',
      'screen',
      'setUserId',
      'setCustomUserId',
      'setBillingIdentity',
      'bindNavigationState',
      'focusedRouteName',
      'identify',
      'track',
      'reset',
      // Attribution
      'createAttributionRuntime',
      'createDefaultAttributionProviders',
      'createAppsFlyerAttributionProvider',
      'normalizeAppsFlyerConversionPayload',
      'normalizeAppsFlyerDeepLinkPayload',
      'extractAppsFlyerPayload',
      'buildAttributionStorageKey',
      // The state machine
      'initFlowState',
      'startFlow',
      'submitResponse',
      'abandonFlow',
      'findScreen',
      'findExternalSurface',
      'buildCompletionResponses',
      'stripAuthResponsesForTerminalExport',
      'stepResponseToCompletionValue',
      'isAuthTerminalExportResponseKey',
      'isEligibleConsumedDraft',
      // Checks of what comes from elsewhere
      'validateFlowCorrelation',
      'validateFlowDevice',
      'validateFlowTerminalSnapshot',
      'validateResolveAssignment',
      // Constants
      'APP_REVIEW_POST_PROMPT_DELAY_MS',
      'DEFAULT_API_BASE_URL',
    ].sort(),
  );
  for (const [name, value] of Object.entries(flavour)) expect([name, value]).not.toEqual([name, undefined]);
});
