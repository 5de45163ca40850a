import type { DateTimeInputLayer } from '@svc/core';
import { splitFieldStyle, useDateTimeField, useLayerStyle, useRender } from '@svc/react-core';
import { useId } from 'react';
import { fieldCss } from '../style/field-css';
import { useStyleProps } from '../style/server-sheet';
import { FieldHelper, FieldMessage, InputColumn } from './input-column';

const HTML_TYPE = { date: 'date', time: 'time', datetime: 'datetime-local' } as const;

export function DateTimeInputView({ layer }: { layer: DateTimeInputLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const input = useDateTimeField(layer);
  const { value, problem } = input;
  const { field, column } = splitFieldStyle(style);
  // Browsers show their own pattern in an empty date field, so the placeholder stands below it.
  const hint = value === '' ? input.placeholder : undefined;
  return (
    <InputColumn layer={layer} style={column}>
      <input
        id={id}
        type={HTML_TYPE[input.mode]}
        value={value}
        min={layer.min}
        max={layer.max}
        readOnly={!context.interactive}
        required={input.required}
        aria-label={input.label}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-problem` : hint ? `${id}-hint` : undefined}
        onChange={(event) => input.change(event.target.value)}
        onBlur={input.leave}
        {...styleProps(fieldCss(field, layer.fieldStyle, context), 'svc-field')}
      />
      {hint && <FieldHelper id={`${id}-hint`} text={hint} />}
      <FieldMessage id={`${id}-problem`} text={problem} />
    </InputColumn>
  );
}
