import type { TextInputLayer } from '@svc/core';
import { splitFieldStyle, useLayerStyle, useRender, useTextField } from '@svc/react-core';
import type { TextInputProps } from 'react-native';
import { FieldInput } from './field-input';
import { FieldHelper, FieldMessage, InputColumn } from './input-column';

type InputType = NonNullable<TextInputLayer['inputType']>;

const KEYBOARD: Readonly<Record<InputType, NonNullable<TextInputProps['keyboardType']>>> = {
  plain: 'default',
  multiline: 'default',
  email: 'email-address',
  phone: 'phone-pad',
  url: 'url',
  number: 'number-pad',
};
const AUTO_COMPLETE: Partial<Record<InputType, NonNullable<TextInputProps['autoComplete']>>> = {
  email: 'email',
  phone: 'tel',
  url: 'url',
};
const CONTENT_TYPE: Partial<Record<InputType, NonNullable<TextInputProps['textContentType']>>> = {
  email: 'emailAddress',
  phone: 'telephoneNumber',
  url: 'URL',
};
const LINES = 4;

export function TextInputView({ layer }: { layer: TextInputLayer }) {
  const { submitDraft } = useRender();
  const style = useLayerStyle(layer);
  const field = useTextField(layer);
  const { type, sensitive, helper, problem } = field;
  const { field: chrome, column } = splitFieldStyle(style);
  const multiline = type === 'multiline';
  return (
    <InputColumn layer={layer} style={column}>
      <FieldInput
        chrome={chrome}
        text={layer.fieldStyle}
        invalid={problem !== null}
        value={field.value}
        onChangeText={field.change}
        onBlur={field.leave}
        placeholder={field.placeholder}
        accessibilityLabel={field.label}
        accessibilityHint={problem ?? helper}
        keyboardType={KEYBOARD[type]}
        autoCapitalize={field.capitalization}
        autoCorrect={field.capitalization === 'sentences'}
        autoComplete={sensitive ? 'off' : AUTO_COMPLETE[type]}
        textContentType={sensitive ? 'none' : CONTENT_TYPE[type]}
        secureTextEntry={sensitive && !multiline}
        returnKeyType={field.returnKey}
        {...(multiline
          ? { multiline: true, lines: LINES }
          : { submitBehavior: 'blurAndSubmit' as const, onSubmitEditing: submitDraft })}
      />
      {helper ? <FieldHelper text={helper} /> : null}
      <FieldMessage text={problem} />
    </InputColumn>
  );
}
