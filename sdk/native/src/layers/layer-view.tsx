import type { Layer, LayerKind } from '@svc/core';
import type { ComponentType } from 'react';
import { AddressInputView } from './address-input';
import { BackButtonView, ButtonView } from './button';
import { CarouselView } from './carousel';
import { CheckboxView } from './checkbox';
import { ChoiceView } from './choice';
import { ConditionalView } from './conditional';
import { CounterView } from './counter';
import { DateTimeInputView } from './date-time-input';
import { EmailPasswordAuthView, EmailPasswordFieldView, EmailPasswordSubmitView } from './email-password';
import { HyperlinkView } from './hyperlink';
import { IconView } from './icon';
import { ImageView } from './image';
import { LoaderView } from './loader';
import { LottieView } from './lottie';
import { OauthLoginView, OauthProviderView } from './oauth';
import { PhoneInputView } from './phone-input';
import { ProgressView } from './progress';
import { ScaleInputView } from './scale-input';
import { StackView } from './stack';
import { NumberStepperButtonView, NumberStepperValueView, NumberStepperView } from './stepper';
import { TextView } from './text';
import { TextInputView } from './text-input';
import { VideoView } from './video';
import { WheelPickerView } from './wheel-picker';

/** The component of every kind of layer. */
type LayerViews = { [K in LayerKind]: ComponentType<{ layer: Extract<Layer, { kind: K }> }> };

const VIEWS: LayerViews = {
  stack: StackView,
  text: TextView,
  hyperlink: HyperlinkView,
  image: ImageView,
  lottie: LottieView,
  video: VideoView,
  icon: IconView,
  progress: ProgressView,
  loader: LoaderView,
  counter: CounterView,
  carousel: CarouselView,
  conditional: ConditionalView,
  button: ButtonView,
  back_button: BackButtonView,
  single_choice: ChoiceView,
  multiple_choice: ChoiceView,
  checkbox: CheckboxView,
  text_input: TextInputView,
  scale_input: ScaleInputView,
  wheel_picker: WheelPickerView,
  date_time_input: DateTimeInputView,
  number_stepper: NumberStepperView,
  number_stepper_button: NumberStepperButtonView,
  number_stepper_value: NumberStepperValueView,
  phone_input: PhoneInputView,
  address_input: AddressInputView,
  oauth_login: OauthLoginView,
  oauth_provider: OauthProviderView,
  email_password_auth: EmailPasswordAuthView,
  email_password_field: EmailPasswordFieldView,
  email_password_submit: EmailPasswordSubmitView,
};

/** Draws one layer of any kind. A kind of a later version draws nothing. */
export function LayerView({ layer }: { layer: Layer }) {
  const View = VIEWS[layer.kind] as ComponentType<{ layer: Layer }> | undefined;
  return View ? <View layer={layer} /> : null;
}
