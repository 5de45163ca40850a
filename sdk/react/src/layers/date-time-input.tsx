import { type DateTimeInputLayer, draftProblem, localize } from '@svc/core';
import { inputLabel, splitFieldStyle, useLayerStyle, useRender } from '@svc/react-core';
import { useId, useState } from 'react';
import { fieldCss } from '../style/field-css';
import { FieldHelper, FieldMessage, InputColumn } from './input-column';

const HTML_TYPE = { date: 'date', time: 'time', datetime: 'datetime-local' } as const;

export function DateTimeInputView({ layer }: { layer: DateTimeInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const [left, setLeft] = useState(false);
  const { draft, interactive, attempted, locale, copy } = context;
  const value = draft.input?.kind === 'date_time' ? draft.input.value : '';
  const problem = left || attempted ? draftProblem(layer, draft.input, new Date().getFullYear()) : null;
  const { field, column } = splitFieldStyle(style);
  // Browsers show their own pattern in an empty date field, so the placeholder stands below it.
  const hint = layer.placeholder && value === '' ? localize(layer.placeholder, locale) : undefined;
  return (
    <InputColumn layer={layer} style={column}>
      <input
        id={id}
        className="svc-field"
        type={HTML_TYPE[layer.mode ?? 'date']}
        value={value}
        min={layer.min}
        max={layer.max}
        readOnly={!interactive}
        required={layer.required ?? true}
        aria-label={inputLabel(context.screen, layer, locale)}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-problem` : hint ? `${id}-hint` : undefined}
        onChange={(event) =>
          context.setInput(
            event.target.value === ''
              ? null
              : { kind: 'date_time', value: event.target.value, classification: layer.classification },
          )
        }
        onBlur={() => setLeft(true)}
        style={fieldCss(field, layer.fieldStyle, context)}
      />
      {hint && <FieldHelper id={`${id}-hint`} text={hint} />}
      <FieldMessage id={`${id}-problem`} text={problem && copy.problem(problem)} />
    </InputColumn>
  );
}
