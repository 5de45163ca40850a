import {
  type AddressField,
  type AddressInputLayer,
  type AddressValue,
  draftProblem,
  initialInputDraft,
  localize,
  visibleAddressFields,
} from '@svc/core';
import {
  COUNTRY_CODES,
  countryNamer,
  inputLabel,
  sortedByName,
  splitFieldStyle,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import { useId, useMemo, useState } from 'react';
import { fieldCss } from '../style/field-css';
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

export function AddressInputView({ layer }: { layer: AddressInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const [touched, setTouched] = useState<readonly AddressField[]>([]);
  const { draft, interactive, locale, copy, attempted, screen } = context;
  const year = new Date().getFullYear();
  const started = draft.input?.kind === 'address' ? draft.input : initialInputDraft(layer, year);
  const value = (started?.kind === 'address' ? started.value : {}) as AddressValue;
  const { field, column } = splitFieldStyle(style);
  const problem = draftProblem(layer, { kind: 'address', value, classification: layer.classification }, year);
  const shown = problem?.field && (attempted || touched.includes(problem.field)) ? problem : null;
  const name = useMemo(() => countryNamer(locale), [locale]);
  const countries = useMemo(() => sortedByName(COUNTRY_CODES, name, locale), [name, locale]);

  const set = (part: AddressField, text: string) =>
    context.setInput({ kind: 'address', value: { ...value, [part]: text }, classification: layer.classification });

  return (
    <InputColumn layer={layer} style={column} gap={layer.gap ?? DEFAULT_GAP}>
      <fieldset
        aria-label={inputLabel(screen, layer, locale)}
        style={{
          display: 'flex',
          flexDirection: 'column',
          gap: layer.gap ?? DEFAULT_GAP,
          border: 0,
          padding: 0,
          margin: 0,
          minWidth: 0,
        }}
      >
        {visibleAddressFields(layer).map((part) => {
          const placeholder = layer.placeholders?.[part];
          const label = placeholder ? localize(placeholder, locale) : copy.addressFields[part];
          const shared = {
            className: 'svc-field',
            value: value[part] ?? '',
            autoComplete: AUTO_COMPLETE[part],
            'aria-label': label,
            'aria-invalid': shown?.field === part,
            'aria-describedby': shown?.field === part ? `${id}-problem` : undefined,
            onBlur: () => setTouched((parts) => [...parts, part]),
            style: fieldCss(field, layer.fieldStyle, context),
          };
          return part === 'country' ? (
            <select {...shared} key={part} disabled={!interactive} onChange={(event) => set(part, event.target.value)}>
              {countries.map((code) => (
                <option key={code} value={code}>
                  {name(code)}
                </option>
              ))}
            </select>
          ) : (
            <input
              {...shared}
              key={part}
              type="text"
              placeholder={label}
              readOnly={!interactive}
              onChange={(event) => set(part, event.target.value)}
            />
          );
        })}
      </fieldset>
      <FieldMessage id={`${id}-problem`} text={shown && copy.problem(shown)} />
    </InputColumn>
  );
}
