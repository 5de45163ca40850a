// What the packages of this repository share beyond the public API. It comes without any promise of compatibility: a
// release may change or remove every name, so all @svc packages of an app have one version.

export { hasAttributionSignal } from './analytics/attribution-keys';
export { ModuleRelay } from './analytics/relay';
export type { SessionAttribution } from './analytics/session-attribution';
export { FIRST_SENT_KEY, SESSION_ID_KEY, SESSION_LAST_AT_KEY } from './analytics/storage-keys';
export { captureWebAttribution, parseQuery } from './analytics/web-attribution';
export { CheckoutAttempts } from './api/checkout';
export { ResolveCache } from './api/resolve-cache';
export { Resolver } from './api/resolver';
export { flowEtag } from './api/types';
export { resolveApiBaseUrl } from './config';
export { EventQueue } from './events/queue';
export {
  advanceCarousel,
  autoAdvanceSlide,
  hasAdvanceButton,
  initialSlide,
  landingCompletes,
  slideFromOffset,
  slideWidth,
} from './flow/carousel';
export { compareDateTime, type DateTimeMode } from './flow/date-time';
export {
  appReviewResponse,
  canContinue,
  choiceTapResponse,
  continueResponse,
  endFlowResponse,
  initialInputDraft,
  initialScreenDraft,
  type ScreenDraft,
  submitsOnTap,
  toggleChoice,
} from './flow/draft';
export { type ExpressionContext, evaluateExpression } from './flow/expression';
export {
  activeConditionalBranch,
  activeInput,
  activeScreenLayers,
  allScreenLayers,
  childLayers,
  isManualSubmitInput,
  walkLayers,
} from './flow/layers';
export { localize, resolveLocale, type TextLocale, textDirection } from './flow/locale';
export { closestLocale } from './flow/locale-match';
export { canGoBack, expressionContext } from './flow/machine';
export { snapToStep, stepBy } from './flow/numeric';
export { allowedPhoneCountries, defaultPhoneCountry, nationalDigits, type PhoneCountry, toE164 } from './flow/phone';
export { counterDurationMs, counterText, flowProgress, loaderEndMs, loaderProgress } from './flow/progress';
export { own } from './flow/record';
export { firstText, renderTemplate } from './flow/template';
export {
  draftProblem,
  emailPasswordProblem,
  type InputProblem,
  passwordRulesDescriptor,
  textProblem,
  visibleAddressFields,
} from './flow/validation';
export { wheelOptionIds } from './flow/wheel';
export { uuidV4 } from './host/ids';
export { Listeners } from './host/listeners';
export { createLogger } from './host/log';
export { clipStartMs, entranceEndMs, layerClips, sampleClips } from './motion/clip';
export { EASING_CURVES } from './motion/easing';
export {
  type RestingSample,
  restingMotions,
  restingPhase,
  restingSegmentMs,
  restingStartMs,
  sampleResting,
} from './motion/resting';
export { buildFlowEvent, configContext, type ServedFlow } from './run/build-event';
export type { ResumableRun } from './run/flow-controller';
export type { RunPlace } from './run/flow-run';
export {
  type Background,
  fadeBackground,
  type GradientStop,
  isTransparent,
  resolveBackground,
  splitOpacity,
} from './style/background';
export {
  DEFAULT_FILL_COLOR,
  DEFAULT_FOREGROUND,
  DEFAULT_SCREEN_COLOR,
  DEFAULT_TRACK_COLOR,
  MEDIA_PLACEHOLDER_COLOR,
  multiplyAlpha,
  type Palette,
  parseColor,
  resolveColor,
} from './style/color';
export { findFontFamily, fontFileForWeight, fontFiles, fontRegistrationName, logicalFontFamily } from './style/font';
export {
  FALLBACK_VIEWPORT_WIDTH,
  mergeStyle,
  responsiveContainer,
  responsiveLayout,
  responsiveStyle,
} from './style/responsive';
export { resolveShadow } from './style/shadow';
export { BUTTON_VARIANTS, OAUTH_BRANDS } from './style/variant';
