/**
 * Types of the flow manifest, schema version 7 (manifest.md). Ids are plain strings: the server validated
 * them before the manifest was published, so the SDK only reads.
 */

export type LocaleCode = string;
/** Text with translations; `default` is in the manifest's default locale. */
export interface LocalizedText {
  default: string;
  translations?: Record<LocaleCode, string>;
}
/** A literal colour, a `$name` of the theme, or one value per palette. */
export type ThemedColor = string | { light?: string; dark?: string };
export interface Padding {
  t?: number;
  r?: number;
  b?: number;
  l?: number;
}
export interface Border {
  width?: number;
  color?: ThemedColor;
}
export interface Shadow {
  offsetX?: number;
  offsetY?: number;
  blur?: number;
  spread?: number;
  color?: ThemedColor;
  opacity?: number;
}
export type WidthValue = 'auto' | 'full' | '1/2' | '1/3' | '2/3' | '1/4' | '3/4' | number;
export type HeightValue = WidthValue | 'fill';
export type CrossAlign = 'start' | 'center' | 'end' | 'stretch';
export type Distribution = 'start' | 'center' | 'end' | 'between' | 'around';
export type Direction = 'vertical' | 'horizontal';

export interface CommonStyle {
  padding?: Padding;
  margin?: Padding;
  inset?: Padding;
  radius?: number;
  background?: ThemedColor;
  border?: Border;
  shadow?: Shadow;
  opacity?: number;
  backgroundOpacity?: number;
  width?: WidthValue;
  height?: HeightValue;
  minWidth?: number;
  maxWidth?: number;
  minHeight?: number;
  maxHeight?: number;
  position?: 'absolute';
  zIndex?: number;
  rotate?: number;
  strokeWidth?: number;
}
export type TextAlign = 'left' | 'center' | 'right';
/** Typed text inside inputs. */
export interface FieldTextStyle {
  fontFamily?: string;
  fontSize?: number;
  fontWeight?: number;
  color?: ThemedColor;
  align?: TextAlign;
  lineHeight?: number;
  letterSpacing?: number;
  opacity?: number;
}
export interface TextStyle extends CommonStyle, Omit<FieldTextStyle, 'opacity'> {}
export interface ImageStyle extends CommonStyle {
  fit?: 'cover' | 'contain' | 'fill';
  aspectRatio?: number;
}
export interface IconStyle extends CommonStyle {
  color?: ThemedColor;
}
export interface ButtonStyle extends CommonStyle {
  fontSize?: number;
  fontWeight?: number;
  color?: ThemedColor;
  align?: TextAlign;
}
export interface WheelItemStyle {
  fontFamily?: string;
  fontSize?: number;
  fontWeight?: number;
  color?: ThemedColor;
  opacity?: number;
}
export interface CheckboxGlyphStyle {
  size?: number;
  radius?: number;
  background?: ThemedColor;
  border?: Border;
  shadow?: Shadow;
  opacity?: number;
  checkColor?: ThemedColor;
}
/** Names of the responsive breakpoints, ascending. */
export type Breakpoint = 'sm' | 'md' | 'lg' | 'xl' | '2xl';
export type Breakpoints<T> = Partial<Record<Breakpoint, Partial<T>>>;
export interface BoxLayoutPatch {
  gap?: number;
  direction?: Direction;
}
export interface AuthLayoutPatch {
  gap?: number;
  align?: CrossAlign;
}
export interface ChoiceLayoutPatch {
  direction?: Direction;
  gap?: number;
  columns?: number;
}
export interface CarouselLayoutPatch {
  pageAlignment?: 'top' | 'center' | 'bottom';
  pageSpacing?: number;
  pagePeek?: number;
}

/** A screen, decision or surface id, the explicit-end constant, or null for the end of the flow. */
export type FlowTarget = string | null;
/** A screen, decision or surface id. */
export type NodeTarget = string;
export type Classification = 'safe' | 'sensitive';

// Expressions ---------------------------------------------------------------------------------------------

export type ExpressionVariable =
  | { kind: 'builtin'; name: 'locale' | 'platform' }
  | { kind: 'sdk'; key: string }
  | { kind: 'field'; fieldKey: string };
export type ExpressionPredicate =
  | { type: 'string'; pred: { op: 'eq' | 'neq' | 'contains'; value: string } }
  | { type: 'number'; pred: { op: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte'; value: number } }
  | { type: 'boolean'; pred: { op: 'eq' | 'neq'; value: boolean } }
  | { type: 'choice'; pred: { op: 'eq'; optionId: string } | { op: 'one_of'; optionIds: string[] } }
  | { type: 'multi'; pred: { op: 'intersects' | 'contains_all' | 'subset_of'; optionIds: string[] } };
export type Expression =
  | { kind: 'empty' }
  | { kind: 'group'; op: 'and' | 'or'; children: Expression[] }
  | { kind: 'predicate'; variable: ExpressionVariable; predicate: ExpressionPredicate };

// Motion --------------------------------------------------------------------------------------------------

export type Easing = 'linear' | 'ease-in' | 'ease-out' | 'ease-in-out' | 'standard' | 'emphasized';
export interface Keyframe {
  t: number;
  value: number;
  easing?: Easing;
}
export interface ClipTrack {
  property: 'opacity' | 'translateX' | 'translateY' | 'scale';
  keyframes: Keyframe[];
}
export interface Clip {
  id: string;
  targetLayerId: string;
  trigger: 'mount' | 'stagger' | 'unmount';
  staggerIndex?: number;
  durationMs: number;
  delayMs?: number;
  tracks: ClipTrack[];
}
export interface RestingMotion {
  id?: string;
  preset: 'translate' | 'bounce' | 'scale' | 'pulse' | 'rotate';
  durationMs?: number;
  cycleDurationMs?: number;
  scalePatternDurationMs?: number;
  loop?: boolean;
  intensity?: number;
  bounceAmplitudePx?: number;
  scaleDirection?: 'up' | 'down';
  scaleSpringBack?: boolean;
  scalePercent?: number;
  translatePeakXPercent?: number;
  translatePeakYPercent?: number;
  translateSpringBack?: boolean;
  rotateMaxDeg?: number;
  rotateDirection?: 'clockwise' | 'counterclockwise';
  rotateSpringBack?: boolean;
  pulseMinOpacity?: number;
  delayMsAfterMountEnd?: number;
  timelineStartMs?: number;
  scaleUpPercent?: number;
  scaleDownPercent?: number;
  translateRangePx?: number;
  translatePeakXPx?: number;
  translatePeakYPx?: number;
}

// Layers --------------------------------------------------------------------------------------------------

export interface LayerBase {
  id: string;
  name?: string;
  restingMotion?: RestingMotion;
  restingMotions?: RestingMotion[];
}
interface Styled<S> {
  style?: S;
  styleBreakpoints?: Breakpoints<S>;
}
interface BoxLayout {
  direction?: Direction;
  gap?: number;
  align?: CrossAlign;
  distribution?: Distribution;
}
export interface MediaRef {
  mediaAssetId: string;
}
export type OnComplete = { mode: 'none' } | { mode: 'next' } | { mode: 'screen'; screenId: NodeTarget };

export interface StackLayer extends LayerBase, BoxLayout, Styled<CommonStyle> {
  kind: 'stack';
  direction: Direction;
  children: Layer[];
  wrap?: boolean;
  selectedStyle?: CommonStyle;
  selectedStyleBreakpoints?: Breakpoints<CommonStyle>;
  stackLayoutBreakpoints?: Breakpoints<BoxLayoutPatch>;
}
export interface TextLayer extends LayerBase, Styled<TextStyle> {
  kind: 'text';
  text: LocalizedText;
  selectedStyle?: TextStyle;
}
export interface HyperlinkLayer extends LayerBase, BoxLayout, Styled<CommonStyle> {
  kind: 'hyperlink';
  href: string;
  children: Layer[];
  wrap?: boolean;
  hyperlinkLayoutBreakpoints?: Breakpoints<BoxLayoutPatch>;
}
export interface ImageLayer extends LayerBase, Styled<ImageStyle> {
  kind: 'image';
  media?: MediaRef;
  alt?: string;
  selectedStyle?: ImageStyle;
}
interface PlayableLayer extends LayerBase, Styled<ImageStyle> {
  media?: MediaRef;
  loop?: boolean;
  autoPlay?: boolean;
  triggerLayerId?: string;
  onComplete?: OnComplete;
  selectedStyle?: ImageStyle;
}
export interface LottieLayer extends PlayableLayer {
  kind: 'lottie';
}
export interface VideoLayer extends PlayableLayer {
  kind: 'video';
  audioEnabled?: boolean;
}
export interface IconLayer extends LayerBase, Styled<IconStyle> {
  kind: 'icon';
  family: 'ionicons';
  iconName: string;
  selectedStyle?: IconStyle;
}
export interface ProgressLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'progress';
  trackColor?: ThemedColor;
  fillColor?: ThemedColor;
}
export interface LoaderLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'loader';
  variant?: 'linear' | 'circular';
  targetPercent?: number;
  fillDelayMs?: number;
  durationMs?: number;
  onComplete?: OnComplete;
  trackColor?: ThemedColor;
  fillColor?: ThemedColor;
  trackOpacity?: number;
  align?: 'start' | 'center' | 'end';
}
export interface CounterLayer extends LayerBase, Styled<TextStyle> {
  kind: 'counter';
  startValue: number;
  endValue: number;
  durationMs?: number;
  delayMs?: number;
  decimalPlaces?: number;
  displayKind?: 'number' | 'time';
  timeFormat?: 'mm_ss' | 'hh_mm_ss' | 'dd_hh_mm_ss';
}
export interface PageControl {
  position: 'top' | 'bottom';
  spacing?: number;
  padding?: Padding;
  margin?: Padding;
  border?: Border;
  shadow?: Shadow;
  indicators?: {
    width?: number;
    height?: number;
    activeWidth?: number;
    activeHeight?: number;
    defaultColor?: ThemedColor;
    activeColor?: ThemedColor;
    defaultOpacity?: number;
    activeOpacity?: number;
    border?: Border;
    activeBorder?: Border;
  };
}
export interface CarouselLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'carousel';
  slides: StackLayer[];
  pageAlignment?: 'top' | 'center' | 'bottom';
  pageSpacing?: number;
  pagePeek?: number;
  openOn?: number;
  loop?: boolean;
  autoAdvance?: boolean;
  autoAdvanceMs?: number;
  pageControl?: PageControl;
  carouselLayoutBreakpoints?: Breakpoints<CarouselLayoutPatch>;
}
export interface ConditionalLayer extends LayerBase {
  kind: 'conditional';
  cases: { id: string; name?: string; expression: Expression; rootLayerId: string }[];
  elseRootLayerId: string;
  children: StackLayer[];
}
export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'destructive';
export type PermissionOutcome = 'granted' | 'denied' | 'blocked';
export type ButtonAction =
  | { kind: 'none' }
  | { kind: 'continue' }
  | { kind: 'skip' }
  | { kind: 'end_flow' }
  | { kind: 'go_back_one_screen'; fallbackScreenId?: string }
  | { kind: 'go_to_step'; screenId: NodeTarget }
  | {
      kind: 'request_os_permission';
      permissionKey: string;
      outcomes: Record<PermissionOutcome, NodeTarget | 'continue' | 'end'>;
    }
  | { kind: 'play_media'; targetLayerIds: string[] }
  | { kind: 'request_app_review' }
  | { kind: 'advance_carousel'; targetLayerId: string; onLast?: 'noop' | 'complete' }
  | { kind: 'dismiss_banner' };
export interface ButtonLayer extends LayerBase, BoxLayout, Styled<ButtonStyle> {
  kind: 'button';
  children: Layer[];
  action: ButtonAction;
  variant: ButtonVariant;
  buttonLayoutBreakpoints?: Breakpoints<BoxLayoutPatch>;
}
export interface BackButtonLayer extends LayerBase, BoxLayout, Styled<ButtonStyle> {
  kind: 'back_button';
  children: Layer[];
  variant: ButtonVariant;
  fallbackScreenId?: string;
  buttonLayoutBreakpoints?: Breakpoints<BoxLayoutPatch>;
}
interface ChoiceLayerBase extends LayerBase, Styled<CommonStyle> {
  fieldKey: string;
  children: StackLayer[];
  optionBindings: { optionId: string; rootLayerId: string }[];
  branching: { enabled: boolean; conditions: { choiceId: string; goTo: NodeTarget }[] };
  direction?: Direction | 'grid';
  columns?: number;
  gap?: number;
  choiceLayoutBreakpoints?: Breakpoints<ChoiceLayoutPatch>;
}
export interface SingleChoiceLayer extends ChoiceLayerBase {
  kind: 'single_choice';
}
export interface MultipleChoiceLayer extends ChoiceLayerBase {
  kind: 'multiple_choice';
  minSelections?: number;
  maxSelections?: number;
}
export interface CheckboxLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'checkbox';
  fieldKey: string;
  blocking?: boolean;
  uncheckedStyle?: CheckboxGlyphStyle;
  checkedStyle?: CheckboxGlyphStyle;
}
export interface TextInputLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'text_input';
  fieldKey: string;
  classification: Classification;
  inputType?: 'plain' | 'email' | 'phone' | 'url' | 'number' | 'multiline';
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  placeholder?: LocalizedText;
  helperText?: LocalizedText;
  autoCapitalize?: 'none' | 'sentences' | 'words' | 'characters';
  returnKeyType?: 'done' | 'next' | 'go' | 'send' | 'search' | 'default';
  validationMode?: 'onBlur' | 'onSubmit' | 'live';
  children?: Layer[];
  fieldStyle?: FieldTextStyle;
}
export interface ScaleInputLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'scale_input';
  fieldKey: string;
  min: number;
  max: number;
  step?: number;
  defaultValue?: number;
  minLabel?: LocalizedText;
  maxLabel?: LocalizedText;
  labelStyle?: FieldTextStyle;
  valueStyle?: FieldTextStyle;
  showLabels?: boolean;
  showValue?: boolean;
  trackHeight?: number;
  thumbSize?: number;
  trackColor?: ThemedColor;
  fillColor?: ThemedColor;
  thumbColor?: ThemedColor;
  children?: Layer[];
}
export interface WheelPickerLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'wheel_picker';
  fieldKey: string;
  mode?: 'options' | 'date';
  options?: { optionId: string; label: LocalizedText }[];
  defaultOptionId?: string;
  defaultValue?: string;
  datePart?: 'year' | 'month' | 'day';
  minYear?: number;
  maxYear?: number;
  placeholder?: LocalizedText;
  itemHeight?: number;
  visibleItemCount?: number;
  selectionBackgroundColor?: ThemedColor;
  itemStyle?: WheelItemStyle;
  selectedItemStyle?: WheelItemStyle;
  children?: Layer[];
}
export interface DateTimeInputLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'date_time_input';
  fieldKey: string;
  classification: Classification;
  mode?: 'date' | 'time' | 'datetime';
  required?: boolean;
  min?: string;
  max?: string;
  defaultValue?: string;
  placeholder?: LocalizedText;
  children?: Layer[];
  fieldStyle?: FieldTextStyle;
}
export interface NumberStepperLayer extends LayerBase, BoxLayout, Styled<CommonStyle> {
  kind: 'number_stepper';
  fieldKey: string;
  classification: Classification;
  min: number;
  max: number;
  step?: number;
  defaultValue?: number;
  children: Layer[];
}
export interface NumberStepperButtonLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'number_stepper_button';
  role: 'decrement' | 'increment';
  children?: Layer[];
}
export interface NumberStepperValueLayer extends LayerBase, Styled<TextStyle> {
  kind: 'number_stepper_value';
  unitLabel?: LocalizedText;
}
export interface PhoneInputLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'phone_input';
  fieldKey: string;
  classification: Classification;
  defaultCountryCode?: string;
  allowedCountryCodes?: string[];
  required?: boolean;
  placeholder?: LocalizedText;
  children?: Layer[];
  fieldStyle?: FieldTextStyle;
}
export type AddressField = 'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country';
export interface AddressInputLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'address_input';
  fieldKey: string;
  classification: Classification;
  requiredFields?: AddressField[];
  showLine2?: boolean;
  showRegion?: boolean;
  defaultCountryCode?: string;
  placeholders?: Partial<Record<AddressField, LocalizedText>>;
  gap?: number;
  children?: Layer[];
  fieldStyle?: FieldTextStyle;
}
export interface OAuthLoginLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'oauth_login';
  children: Layer[];
  gap?: number;
  align?: CrossAlign;
  authLayoutBreakpoints?: Breakpoints<AuthLayoutPatch>;
}
export type OAuthPreset = 'github' | 'google' | 'apple';
export interface OAuthPresetProviderLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'oauth_provider';
  variant: 'preset';
  provider: OAuthPreset;
  label?: LocalizedText;
}
export interface OAuthCustomProviderLayer extends LayerBase, BoxLayout, Styled<ButtonStyle> {
  kind: 'oauth_provider';
  variant: 'custom';
  rowId: string;
  buttonVariant: ButtonVariant;
  children: Layer[];
  buttonLayoutBreakpoints?: Breakpoints<BoxLayoutPatch>;
}
export type OAuthProviderLayer = OAuthPresetProviderLayer | OAuthCustomProviderLayer;
export interface PasswordRules {
  minLength?: number;
  maxLength?: number;
  requireUppercase?: boolean;
  requireLowercase?: boolean;
  requireDigit?: boolean;
  requireSpecial?: boolean;
}
export interface EmailPasswordAuthLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'email_password_auth';
  mode: 'sign_in' | 'sign_up';
  fieldKey: string;
  minPasswordLength?: number;
  passwordRules?: PasswordRules;
  children: Layer[];
  gap?: number;
  align?: CrossAlign;
  authLayoutBreakpoints?: Breakpoints<AuthLayoutPatch>;
}
export interface EmailPasswordFieldLayer extends LayerBase, Styled<CommonStyle> {
  kind: 'email_password_field';
  slot: 'email' | 'password' | 'confirm';
  placeholder?: LocalizedText;
  children?: Layer[];
}
export interface EmailPasswordSubmitLayer extends LayerBase, BoxLayout, Styled<ButtonStyle> {
  kind: 'email_password_submit';
  buttonVariant: ButtonVariant;
  children: Layer[];
  buttonLayoutBreakpoints?: Breakpoints<BoxLayoutPatch>;
}

/** The nine kinds that collect the answer of a screen. */
export type InputLayer =
  | SingleChoiceLayer
  | MultipleChoiceLayer
  | TextInputLayer
  | ScaleInputLayer
  | WheelPickerLayer
  | DateTimeInputLayer
  | NumberStepperLayer
  | PhoneInputLayer
  | AddressInputLayer;
export type ChoiceLayer = SingleChoiceLayer | MultipleChoiceLayer;

/** One of the 31 layer kinds. */
export type Layer =
  | StackLayer
  | TextLayer
  | HyperlinkLayer
  | ImageLayer
  | LottieLayer
  | VideoLayer
  | IconLayer
  | ProgressLayer
  | LoaderLayer
  | CounterLayer
  | CarouselLayer
  | ConditionalLayer
  | ButtonLayer
  | BackButtonLayer
  | CheckboxLayer
  | InputLayer
  | NumberStepperButtonLayer
  | NumberStepperValueLayer
  | OAuthLoginLayer
  | OAuthProviderLayer
  | EmailPasswordAuthLayer
  | EmailPasswordFieldLayer
  | EmailPasswordSubmitLayer;
export type LayerKind = Layer['kind'];

// Document ------------------------------------------------------------------------------------------------

export interface Scrim {
  color?: ThemedColor;
  opacity?: number;
}
export type BackgroundFill =
  | { kind: 'color'; color?: ThemedColor; opacity?: number }
  | { kind: 'image'; media?: MediaRef; fit?: ImageStyle['fit']; opacity?: number; scrim?: Scrim }
  | {
      kind: 'video';
      media?: MediaRef;
      fit?: ImageStyle['fit'];
      opacity?: number;
      scrim?: Scrim;
      loop?: boolean;
      autoPlay?: boolean;
      triggerLayerId?: string;
      onComplete?: OnComplete;
      audioEnabled?: boolean;
    };
export interface ContainerStyle {
  padding?: Padding;
  margin?: Padding;
  insetSafeArea?: boolean;
  backgroundFill?: BackgroundFill;
}
export interface ContainerStylePatch {
  padding?: Padding;
  margin?: Padding;
  insetSafeArea?: boolean;
  backgroundFillPatch?: {
    color?: ThemedColor;
    fit?: ImageStyle['fit'];
    opacity?: number;
    scrim?: Scrim;
    loop?: boolean;
    autoPlay?: boolean;
    triggerLayerId?: string;
    onComplete?: OnComplete;
    audioEnabled?: boolean;
  };
}
export interface Screen {
  id: string;
  name: string;
  regions: { header?: StackLayer; body: StackLayer; footer?: StackLayer };
  next: { default: FlowTarget };
  animations?: Clip[];
  stagger?: { stepMs?: number };
  containerStyle?: ContainerStyle;
  containerStyleBreakpoints?: Partial<Record<Breakpoint, ContainerStylePatch>>;
}
export interface DecisionCase {
  id: string;
  name?: string;
  expression: Expression;
  next: FlowTarget;
}
export interface DecisionNode {
  id: string;
  name?: string;
  cases: DecisionCase[];
  elseNext: FlowTarget;
}
export type SurfaceOutcome =
  | 'purchase_completed'
  | 'purchase_cancelled'
  | 'dismissed'
  | 'failed'
  | 'restore_completed'
  | 'completed'
  | 'back';
export type SurfaceConfig =
  | { provider: 'unspecified' }
  | {
      provider: 'revenuecat';
      offeringId?: string;
      placementId?: string;
      presentation?: 'paywall' | 'paywall_if_needed';
    }
  | { provider: 'superwall'; placementId?: string }
  | { provider: 'stripe'; paymentLinkUrl?: string }
  | { provider: 'headless'; hostKey?: string };
export interface ExternalSurfaceNode {
  id: string;
  name?: string;
  config: SurfaceConfig;
  outcomes: Partial<Record<SurfaceOutcome, FlowTarget>>;
  fallback: FlowTarget;
}
export interface Theme {
  primary?: string;
  primaryForeground?: string;
  background?: string;
  foreground?: string;
  accent?: string;
  borderRadius?: number;
  fontFamily?: string;
}
export interface FlowManifest {
  flowId: string;
  schemaVersion?: 7;
  version: number;
  defaultLocale: LocaleCode;
  locales: LocaleCode[];
  entryScreenId: string | null;
  screens: Screen[];
  decisionNodes?: DecisionNode[];
  externalSurfaceNodes?: ExternalSurfaceNode[];
  sdkAttributeKeys?: string[];
  theme?: Theme;
}
