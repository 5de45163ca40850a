import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import * as edit from '../src/edit';
import * as main from '../src/index';
import * as server from '../src/server';
import * as testing from '../src/testing';

/** Everything an app may import. A name that goes or comes is a change that its users notice. */
it('exports what is promised and nothing else', () => {
  expect({
    '@svc/react': Object.keys(main).sort(),
    '@svc/react/edit': Object.keys(edit).sort(),
    '@svc/react/server': Object.keys(server).sort(),
    '@svc/react/testing': Object.keys(testing).sort(),
  }).toMatchInlineSnapshot(`
    {
      "@svc/react": [
        "CHECKOUT_RESUME_KEY",
        "DEFAULT_API_BASE_URL",
        "DEFAULT_RESOLVE_ERROR_RETRY_LABEL",
        "DEFAULT_RESOLVE_ERROR_TITLE",
        "DEFAULT_SDK_LOG_LEVEL",
        "DefaultResolveError",
        "EmailPasswordAuthProvider",
        "EventQueue",
        "Flow",
        "FlowModal",
        "LayerRenderer",
        "MANIFEST_RESOLVE_CACHE_KEY_PREFIX",
        "MotionProvider",
        "OAuthLoginProvider",
        "PAYMENT_RESUME_PARAM",
        "PAYMENT_SESSION_PARAM",
        "PAYMENT_STATUS_PARAM",
        "PERSISTED_APP_USER_ID_KEY",
        "ScreenChrome",
        "SurfaceView",
        "SvcApiError",
        "SvcChannelArchivedError",
        "SvcChannelNotFoundError",
        "SvcChannelRequiredError",
        "SvcConfigError",
        "SvcContext",
        "SvcError",
        "SvcNetworkError",
        "SvcProvider",
        "SvcTimeoutError",
        "abandonFlow",
        "buildBrandingFontLoadMap",
        "buildCompletionResponses",
        "buildPaymentRedirectUrl",
        "buildPaymentReturnUrl",
        "buildSdkEvent",
        "captureWebAttributionFromLocation",
        "clearManifestResolveCache",
        "clearPaymentResume",
        "collectWebAttributionAttributes",
        "createSdkLogger",
        "findExternalSurface",
        "findScreen",
        "finishPayment",
        "generateEventId",
        "getResolvedAppUserId",
        "getSdkLogLevel",
        "getSdkLogger",
        "identify",
        "initFlowState",
        "isAuthTerminalExportResponseKey",
        "isEligibleConsumedDraft",
        "listManifestResolveCacheEntries",
        "loadPaymentResume",
        "logEvent",
        "manifestResolveCacheKey",
        "parseManifestResolveCacheKey",
        "peekManifestResolveCache",
        "prefetch",
        "prefetchAll",
        "presentFlow",
        "presentFlowLink",
        "productIdFromPaymentLink",
        "readPaymentReturn",
        "registerSdkLogLevel",
        "removePaymentParams",
        "reset",
        "resolveManifest",
        "resumedState",
        "savePaymentResume",
        "screen",
        "setAnalyticsConsent",
        "setBillingIdentity",
        "setCustomUserId",
        "setUserId",
        "startFlow",
        "startPayment",
        "stepResponseToCompletionValue",
        "stripAuthResponsesForTerminalExport",
        "submitResponse",
        "track",
        "useEmailPasswordAuth",
        "useEventQueue",
        "useFlow",
        "useOAuthLogin",
        "useOAuthLoginOptional",
        "useSvc",
        "useSvcContext",
        "useSvcCustomUserId",
        "useSvcPrefetch",
        "validateFlowCorrelation",
        "validateFlowDevice",
        "validateFlowTerminalSnapshot",
        "validateResolveAssignment",
      ],
      "@svc/react/edit": [
        "EditScreen",
      ],
      "@svc/react/server": [
        "resolveFlow",
      ],
      "@svc/react/testing": [
        "SvcTestProvider",
        "TEST_CHANNEL",
        "createTestService",
        "testFlow",
      ],
    }
  `);
});

it('the README shows a test as it runs', () => {
  const file = (name: string) => readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
  const [, ...example] = file('./readme-example.test.tsx').split('\n');
  expect(file('../README.md')).toContain(example.join('\n').trim());
});
