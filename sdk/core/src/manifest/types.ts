import type {
  AddressInputLayer,
  DateTimeInputLayer,
  Layer,
  MultipleChoiceLayer,
  NumberStepperLayer,
  PhoneInputLayer,
  Predicate,
  PresetOauthProviderLayer,
  RequestOsPermissionAction,
  ScaleInputLayer,
  SingleChoiceLayer,
  SurfaceOutcomes,
  TextInputLayer,
  Variable,
  WheelPickerLayer,
} from './types.gen';

export type * from './types.gen';

// Names that the machine needs beside those of the schema.

export type LayerKind = Layer['kind'];
export type ChoiceLayer = SingleChoiceLayer | MultipleChoiceLayer;
/** The nine kinds that collect the answer of a screen. */
export type InputLayer =
  | ChoiceLayer
  | TextInputLayer
  | ScaleInputLayer
  | WheelPickerLayer
  | DateTimeInputLayer
  | NumberStepperLayer
  | PhoneInputLayer
  | AddressInputLayer;
export type ExpressionVariable = Variable;
export type ExpressionPredicate = Predicate;
export type PermissionOutcome = keyof RequestOsPermissionAction['outcomes'];
export type SurfaceOutcome = keyof SurfaceOutcomes;
/** What a surface's own results come down to. */
export type NormalizedSurfaceOutcome = SurfaceOutcome;
export type OAuthPreset = PresetOauthProviderLayer['provider'];
/** Names of the responsive breakpoints, ascending. */
export type Breakpoint = 'sm' | 'md' | 'lg' | 'xl' | '2xl';
