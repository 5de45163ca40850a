import type { TextInputLayer } from '@svc/core';
import { splitFieldStyle, useLayerStyle, useRender, useTextField } from '@svc/react-core';
import { type ChangeEvent, type FormEvent, type KeyboardEvent, type ReactNode, useId } from 'react';
import { fieldCss } from '../style/field-css';
import { useStyleProps } from '../style/server-sheet';
import { FieldHelper, FieldMessage, InputColumn } from './input-column';

type InputType = NonNullable<TextInputLayer['inputType']>;

const HTML_TYPE: Readonly<Record<Exclude<InputType, 'multiline'>, string>> = {
  plain: 'text',
  email: 'email',
  phone: 'tel',
  url: 'url',
  number: 'text',
};
/** Keyboards of touch screens; a hidden e-mail address still gets the one with the at sign. */
const INPUT_MODE: Partial<Record<InputType, 'email' | 'tel' | 'url' | 'numeric'>> = {
  email: 'email',
  phone: 'tel',
  url: 'url',
  number: 'numeric',
};
const ROWS = 4;

export function TextInputView({ layer }: { layer: TextInputLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const input = useTextField(layer);
  const { type, problem, helper, masked, returnKey } = input;
  const { field, column } = splitFieldStyle(style);
  const describedBy = [problem ? `${id}-problem` : '', helper ? `${id}-helper` : ''].filter(Boolean).join(' ');

  const shared = {
    id,
    value: input.value,
    placeholder: input.placeholder,
    readOnly: !context.interactive,
    required: input.required,
    'aria-label': input.label,
    'aria-invalid': problem !== null,
    'aria-describedby': describedBy || undefined,
    autoCapitalize: input.capitalization,
    enterKeyHint: returnKey === 'default' ? undefined : returnKey,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => input.change(event.target.value),
    onBlur: input.leave,
    ...styleProps(fieldCss(field, layer.fieldStyle, context), 'svc-field'),
  };
  const submitOnEnter = (event: KeyboardEvent) => {
    // Enter that ends a composition (Japanese, Chinese …) belongs to the input method.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    context.submitDraft();
  };

  return (
    <InputColumn layer={layer} style={column}>
      {type === 'multiline' ? (
        <textarea {...shared} rows={ROWS} />
      ) : (
        <Field masked={masked} submit={context.submitDraft}>
          <input
            {...shared}
            type={masked ? 'password' : HTML_TYPE[type]}
            inputMode={INPUT_MODE[type]}
            autoComplete={input.autofill}
            {...(type === 'email' || type === 'url' || masked ? { spellCheck: false } : {})}
            onKeyDown={submitOnEnter}
          />
        </Field>
      )}
      {helper && <FieldHelper id={`${id}-helper`} text={helper} />}
      <FieldMessage id={`${id}-problem`} text={problem} />
    </InputColumn>
  );
}

/** Browsers want hidden fields in a form: password managers look for one. */
function Field({ masked, submit, children }: { masked: boolean; submit: () => void; children: ReactNode }) {
  if (!masked) return children;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form noValidate onSubmit={onSubmit}>
      {children}
    </form>
  );
}
