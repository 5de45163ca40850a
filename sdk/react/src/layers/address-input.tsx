import type { AddressField, AddressInputLayer } from '@svc/core';
import { countryNamer, splitFieldStyle, useAddressForm, useLayerStyle, useRender } from '@svc/react-core';
import { type ChangeEvent, useId, useMemo } from 'react';
import { useModule } from '../host/use-module';
import { fieldCss } from '../style/field-css';
import { useStyleProps } from '../style/server-sheet';
import { FieldMessage, InputColumn } from './input-column';

const AUTO_COMPLETE: Readonly<Record<AddressField, string>> = {
  line1: 'address-line1',
  line2: 'address-line2',
  city: 'address-level2',
  region: 'address-level1',
  postalCode: 'postal-code',
  country: 'country',
};
const DEFAULT_GAP = 8;
const loadCodes = () => import('./country-codes');

export function AddressInputView({ layer }: { layer: AddressInputLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const { interactive, locale } = context;
  const { parts, label, problem } = useAddressForm(layer);
  const { field, column } = splitFieldStyle(style);
  const name = useMemo(() => countryNamer(locale), [locale]);
  const list = useModule(loadCodes);
  const countries = useMemo(() => list?.sortedByName(list.COUNTRY_CODES, name, locale), [list, name, locale]);

  return (
    <InputColumn layer={layer} style={column} gap={layer.gap ?? DEFAULT_GAP}>
      <fieldset
        aria-label={label}
        {...styleProps({
          display: 'flex',
          flexDirection: 'column',
          gap: layer.gap ?? DEFAULT_GAP,
          border: 0,
          padding: 0,
          margin: 0,
          minWidth: 0,
        })}
      >
        {parts.map((part) => {
          const shared = {
            value: part.value,
            autoComplete: AUTO_COMPLETE[part.name],
            'aria-label': part.label,
            'aria-invalid': part.invalid,
            'aria-describedby': part.invalid ? `${id}-problem` : undefined,
            onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => part.change(event.target.value),
            onBlur: part.leave,
            ...styleProps(fieldCss(field, layer.fieldStyle, context), 'svc-field'),
          };
          return part.name === 'country' ? (
            <select {...shared} key={part.name} disabled={!interactive}>
              {/* Until the codes are here, the country that is chosen stands alone. */}
              {(countries ?? [part.value]).map((code) => (
                <option key={code} value={code}>
                  {name(code)}
                </option>
              ))}
            </select>
          ) : (
            <input {...shared} key={part.name} type="text" placeholder={part.label} readOnly={!interactive} />
          );
        })}
      </fieldset>
      <FieldMessage id={`${id}-problem`} text={problem} />
    </InputColumn>
  );
}
