import type { Layer } from '@svc/core';
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

/** Draws one layer of any of the 31 kinds. A kind of a later version draws nothing. */
export function LayerView({ layer }: { layer: Layer }) {
  switch (layer.kind) {
    case 'stack':
      return <StackView layer={layer} />;
    case 'text':
      return <TextView layer={layer} />;
    case 'hyperlink':
      return <HyperlinkView layer={layer} />;
    case 'image':
      return <ImageView layer={layer} />;
    case 'lottie':
      return <LottieView layer={layer} />;
    case 'video':
      return <VideoView layer={layer} />;
    case 'icon':
      return <IconView layer={layer} />;
    case 'progress':
      return <ProgressView layer={layer} />;
    case 'loader':
      return <LoaderView layer={layer} />;
    case 'counter':
      return <CounterView layer={layer} />;
    case 'carousel':
      return <CarouselView layer={layer} />;
    case 'conditional':
      return <ConditionalView layer={layer} />;
    case 'button':
      return <ButtonView layer={layer} />;
    case 'back_button':
      return <BackButtonView layer={layer} />;
    case 'single_choice':
    case 'multiple_choice':
      return <ChoiceView layer={layer} />;
    case 'checkbox':
      return <CheckboxView layer={layer} />;
    case 'text_input':
      return <TextInputView layer={layer} />;
    case 'scale_input':
      return <ScaleInputView layer={layer} />;
    case 'wheel_picker':
      return <WheelPickerView layer={layer} />;
    case 'date_time_input':
      return <DateTimeInputView layer={layer} />;
    case 'number_stepper':
      return <NumberStepperView layer={layer} />;
    case 'number_stepper_button':
      return <NumberStepperButtonView layer={layer} />;
    case 'number_stepper_value':
      return <NumberStepperValueView layer={layer} />;
    case 'phone_input':
      return <PhoneInputView layer={layer} />;
    case 'address_input':
      return <AddressInputView layer={layer} />;
    case 'oauth_login':
      return <OauthLoginView layer={layer} />;
    case 'oauth_provider':
      return <OauthProviderView layer={layer} />;
    case 'email_password_auth':
      return <EmailPasswordAuthView layer={layer} />;
    case 'email_password_field':
      return <EmailPasswordFieldView layer={layer} />;
    case 'email_password_submit':
      return <EmailPasswordSubmitView layer={layer} />;
    default:
      return null;
  }
}
