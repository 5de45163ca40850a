import type { TextInputLayer } from '@svc/core';
import { type Autofill, splitFieldStyle, useLayerStyle, useRender, useTextField } from '@svc/react-core';
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
/** What iOS calls the kinds of autofill. */
const CONTENT_TYPE: Partial<Record<Autofill, NonNullable<TextInputProps['textContentType']>>> = {
  email: 'emailAddress',
  tel: 'telephoneNumber',
  url: 'URL',
  name: 'name',
  'given-name': 'givenName',
  'family-name': 'familyName',
  off: 'none',
};
const LINES = 4;

export function TextInputView({ layer }: { layer: TextInputLayer }) {
  const { submitDraft } = useRender();
  const style = useLayerStyle(layer);
  const field = useTextField(layer);
  const { type, masked, helper, problem } = field;
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
        autoComplete={field.autofill === 'on' ? undefined : field.autofill}
        textContentType={CONTENT_TYPE[field.autofill]}
        secureTextEntry={masked}
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
