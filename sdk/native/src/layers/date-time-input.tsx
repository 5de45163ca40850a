import type { DateTimeInputLayer } from '@svc/core';
import { splitFieldStyle, useDateTimeField, useLayerStyle, useRender } from '@svc/react-core';
import { useState } from 'react';
import { Platform } from 'react-native';
import { formatParts, momentOf, parseParts, partsOf, readableDateTime, usesDayHalves, within } from './date-parts';
import { DateTimeSheet, startingParts } from './date-time-sheet';
import { FieldButton } from './field-button';
import { askAndroid, useHostDatePicker } from './host-date-picker';
import { FieldMessage, InputColumn } from './input-column';

export function DateTimeInputView({ layer }: { layer: DateTimeInputLayer }) {
  const { locale, copy } = useRender();
  const style = useLayerStyle(layer);
  const field = useDateTimeField(layer);
  const picker = useHostDatePicker();
  const [choosing, setChoosing] = useState(false);
  const { mode, value, problem } = field;
  const { min, max } = layer;
  const { field: chrome, column } = splitFieldStyle(style);
  const clearable = !field.required && value !== '';
  const words = value === '' ? '' : readableDateTime(value, mode, locale);

  const open = async () => {
    if (Platform.OS !== 'android' || !picker) return setChoosing(true);
    const start = startingParts(mode, value, min, max);
    const answer = await askAndroid(picker, {
      mode,
      value: momentOf(start),
      min: min === undefined ? undefined : momentOf(parseParts(min, start)),
      max: max === undefined ? undefined : momentOf(parseParts(max, start)),
      is24Hour: !usesDayHalves(locale),
      clear: clearable ? copy.clear : undefined,
    });
    if (answer === 'cleared') field.change('');
    else if (answer) field.change(within(formatParts(partsOf(answer), mode), min, max));
    field.leave();
  };

  return (
    <InputColumn layer={layer} style={column}>
      <FieldButton
        chrome={chrome}
        text={layer.fieldStyle}
        invalid={problem !== null}
        words={words}
        placeholder={field.placeholder ?? field.label}
        label={field.label}
        value={words === '' ? undefined : words}
        hint={problem ?? undefined}
        onPress={() => void open()}
      />
      <FieldMessage text={problem} />
      {choosing ? (
        <DateTimeSheet
          title={field.label}
          mode={mode}
          value={value}
          min={min}
          max={max}
          picker={picker}
          clearable={clearable}
          onChoose={(chosen) => {
            field.change(chosen);
            field.leave();
            setChoosing(false);
          }}
          onClose={() => {
            field.leave();
            setChoosing(false);
          }}
        />
      ) : null}
    </InputColumn>
  );
}
