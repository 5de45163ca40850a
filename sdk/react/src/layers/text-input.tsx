import { localize, type TextInputLayer, textProblem } from '@svc/core';
import { inputLabel, splitFieldStyle, useLayerStyle, useRender } from '@svc/react-core';
import { type ChangeEvent, type HTMLAttributes, type KeyboardEvent, useId, useState } from 'react';
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

function capitalization(layer: TextInputLayer): string {
  if (layer.autoCapitalize) return layer.autoCapitalize;
  const plain = layer.inputType === undefined || layer.inputType === 'plain' || layer.inputType === 'multiline';
  return plain && layer.classification !== 'sensitive' ? 'sentences' : 'none';
}

function enterKeyHint(layer: TextInputLayer): HTMLAttributes<HTMLElement>['enterKeyHint'] | undefined {
  const key = layer.returnKeyType ?? (layer.inputType === 'multiline' ? 'default' : 'done');
  return key === 'default' ? undefined : key;
}

export function TextInputView({ layer }: { layer: TextInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const [left, setLeft] = useState(false);
  const { draft, locale, interactive, attempted, copy } = context;
  const type = layer.inputType ?? 'plain';
  const value = draft.input?.kind === 'text' ? draft.input.value : '';
  const mode = layer.validationMode ?? 'onBlur';
  const shows = mode === 'live' ? draft.input !== null : attempted || (mode === 'onBlur' && left);
  const problem = shows ? textProblem(layer, value) : null;
  const { field, column } = splitFieldStyle(style);
  const helper = layer.helperText && localize(layer.helperText, locale);
  const describedBy = [problem ? `${id}-problem` : '', helper ? `${id}-helper` : ''].filter(Boolean).join(' ');

  const shared = {
    id,
    className: 'svc-field',
    value,
    placeholder: layer.placeholder && localize(layer.placeholder, locale),
    readOnly: !interactive,
    required: layer.required ?? true,
    'aria-label': inputLabel(context.screen, layer, locale),
    'aria-invalid': problem !== null,
    'aria-describedby': describedBy || undefined,
    autoCapitalize: capitalization(layer),
    enterKeyHint: enterKeyHint(layer),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const text = event.target.value;
      const typed = type === 'number' ? text.replace(/\D/g, '') : text;
      context.setInput({ kind: 'text', value: typed, classification: layer.classification });
    },
    onBlur: () => setLeft(true),
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
          type={layer.classification === 'sensitive' ? 'password' : HTML_TYPE[type]}
          inputMode={type === 'number' ? 'numeric' : undefined}
          autoComplete={layer.classification === 'sensitive' ? 'off' : (AUTO_COMPLETE[type] ?? 'on')}
          onKeyDown={submitOnEnter}
        />
      )}
      {helper && <FieldHelper id={`${id}-helper`} text={helper} />}
      <FieldMessage id={`${id}-problem`} text={problem && copy.problem(problem)} />
    </InputColumn>
  );
}
