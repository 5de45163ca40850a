import type { PhoneInputLayer } from '@svc/core';
import { localize } from '@svc/core/internal';
import { countryNamer, inputLabel, splitFieldStyle, useLayerStyle, usePhone, useRender } from '@svc/react-core';
import { useId, useMemo } from 'react';
import { fieldCss } from '../style/field-css';
import { useStyleProps } from '../style/server-sheet';
import { FieldMessage, InputColumn } from './input-column';

export function PhoneInputView({ layer }: { layer: PhoneInputLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const { interactive, locale, copy, screen } = context;
  const { countries, country, formatted, problem, leave, choose, type } = usePhone(layer);
  const name = useMemo(() => countryNamer(locale), [locale]);
  const { field, column } = splitFieldStyle(style);
  const css = fieldCss(field, layer.fieldStyle, context);

  return (
    <InputColumn layer={layer} style={column}>
      {/* Numbers read from left to right in every language. */}
      <div dir="ltr" {...styleProps({ display: 'flex', gap: 8 })}>
        <select
          aria-label={copy.country}
          autoComplete="tel-country-code"
          value={country.code}
          disabled={!interactive}
          onChange={(event) => choose(event.target.value)}
          {...styleProps({ ...css, width: 'auto', maxWidth: '45%', flexShrink: 0 }, 'svc-field')}
        >
          {countries.map(({ code, dial }) => (
            <option key={code} value={code}>
              {`${name(code)} +${dial}`}
            </option>
          ))}
        </select>
        <input
          id={id}
          type="tel"
          autoComplete="tel-national"
          value={formatted}
          placeholder={layer.placeholder ? localize(layer.placeholder, context) : copy.phoneNumber}
          readOnly={!interactive}
          required={layer.required ?? true}
          aria-label={inputLabel(screen, layer, context)}
          aria-invalid={problem !== null}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onChange={(event) => type(event.target.value)}
          onBlur={() => leave()}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            context.submitDraft();
          }}
          {...styleProps(css, 'svc-field')}
        />
      </div>
      <FieldMessage id={`${id}-problem`} text={problem && copy.problem(problem)} />
    </InputColumn>
  );
}
