import type { TextInputLayer } from '@svc/core';
import { splitFieldStyle, useLayerStyle, useRender, useTextField } from '@svc/react-core';
import { type ChangeEvent, type KeyboardEvent, useId } from 'react';
import { fieldCss } from '../style/field-css';
import { FieldHelper, FieldMessage, InputColumn } from './input-column';

type InputType = NonNullable<TextInputLayer['inputType']>;

const HTML_TYPE: Readonly<Record<Exclude<InputType, 'multiline'>, string>> = {
  plain: 'text',
  email: 'email',
  phone: 'tel',
  url: 'url',
  number: 'text',
};
const AUTO_COMPLETE: Partial<Record<InputType, string>> = { email: 'email', phone: 'tel', url: 'url' };
const ROWS = 4;

export function TextInputView({ layer }: { layer: TextInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const input = useTextField(layer);
  const { type, problem, helper, sensitive, returnKey } = input;
  const { field, column } = splitFieldStyle(style);
  const describedBy = [problem ? `${id}-problem` : '', helper ? `${id}-helper` : ''].filter(Boolean).join(' ');

  const shared = {
    id,
    className: 'svc-field',
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
    style: fieldCss(field, layer.fieldStyle, context),
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
        <input
          {...shared}
          type={sensitive ? 'password' : HTML_TYPE[type]}
          inputMode={type === 'number' ? 'numeric' : undefined}
          autoComplete={sensitive ? 'off' : (AUTO_COMPLETE[type] ?? 'on')}
          onKeyDown={submitOnEnter}
        />
      )}
      {helper && <FieldHelper id={`${id}-helper`} text={helper} />}
      <FieldMessage id={`${id}-problem`} text={problem} />
    </InputColumn>
  );
}
