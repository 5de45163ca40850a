import {
  allowedPhoneCountries,
  defaultPhoneCountry,
  draftProblem,
  localize,
  nationalDigits,
  type PhoneInputLayer,
  toE164,
} from '@svc/core';
import type { CountryCode } from 'libphonenumber-js/min';
import { useEffect, useId, useMemo, useState } from 'react';
import { inputLabel } from '../renderer/labels';
import { useRender } from '../renderer/render-context';
import { useLayerStyle } from '../renderer/use-layer-style';
import { fieldCss, splitFieldStyle } from '../style/field-css';
import { countryNamer } from './country-names';
import { FieldMessage, InputColumn } from './input-column';

type PhoneLibrary = typeof import('libphonenumber-js/min');

/** The number library, once it is here; until then numbers are shown as bare digits. */
function usePhoneLibrary(): PhoneLibrary | null {
  const [library, setLibrary] = useState<PhoneLibrary | null>(null);
  useEffect(() => {
    let current = true;
    import('libphonenumber-js/min').then(
      (module) => current && setLibrary(module),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, []);
  return library;
}

/** A pasted international number taken apart into country and national digits; null for anything else. */
export function parseInternational(
  library: PhoneLibrary | null,
  text: string,
  allowed: readonly { code: string }[],
): { countryCode: string; nationalNumber: string } | null {
  if (!library || !text.trim().startsWith('+')) return null;
  const parsed = library.parsePhoneNumberFromString(text);
  const country = allowed.find(({ code }) => code === parsed?.country);
  return parsed && country
    ? { countryCode: country.code, nationalNumber: nationalDigits(parsed.nationalNumber) }
    : null;
}

export function PhoneInputView({ layer }: { layer: PhoneInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const library = usePhoneLibrary();
  const [left, setLeft] = useState(false);
  const { draft, interactive, locale, attempted, copy, screen } = context;
  const countries = allowedPhoneCountries(layer.allowedCountryCodes);
  const phone = draft.input?.kind === 'phone' ? draft.input : null;
  const country = countries.find(({ code }) => code === phone?.countryCode) ?? defaultPhoneCountry(layer);
  const number = phone?.nationalNumber ?? '';
  const formatted = library ? new library.AsYouType(country.code as CountryCode).input(number) : number;
  const problem = left || attempted ? draftProblem(layer, draft.input, new Date().getFullYear()) : null;
  const name = useMemo(() => countryNamer(locale), [locale]);
  const { field, column } = splitFieldStyle(style);
  const css = fieldCss(field, layer.fieldStyle, context);

  const set = (countryCode: string, nationalNumber: string) => {
    const chosen = countries.find(({ code }) => code === countryCode) ?? country;
    const { classification } = layer;
    const value = toE164(chosen, nationalNumber);
    context.setInput({ kind: 'phone', value, countryCode: chosen.code, nationalNumber, classification });
  };
  const type = (text: string) => {
    const international = parseInternational(library, text, countries);
    if (international) return set(international.countryCode, international.nationalNumber);
    const digits = nationalDigits(text);
    // Backspace over a bracket or a space takes the digit before it, else the format would put it back for ever.
    const erasedFormat = digits === number && text.length < formatted.length;
    return set(country.code, erasedFormat ? digits.slice(0, -1) : digits);
  };

  return (
    <InputColumn layer={layer} style={column}>
      {/* Numbers read from left to right in every language. */}
      <div dir="ltr" style={{ display: 'flex', gap: 8 }}>
        <select
          className="svc-field"
          aria-label={copy.country}
          autoComplete="tel-country-code"
          value={country.code}
          disabled={!interactive}
          onChange={(event) => set(event.target.value, number)}
          style={{ ...css, width: 'auto', maxWidth: '45%', flexShrink: 0 }}
        >
          {countries.map(({ code, dial }) => (
            <option key={code} value={code}>
              {`${name(code)} +${dial}`}
            </option>
          ))}
        </select>
        <input
          id={id}
          className="svc-field"
          type="tel"
          autoComplete="tel-national"
          value={formatted}
          placeholder={layer.placeholder ? localize(layer.placeholder, locale) : copy.phoneNumber}
          readOnly={!interactive}
          required={layer.required ?? true}
          aria-label={inputLabel(screen, layer, locale)}
          aria-invalid={problem !== null}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onChange={(event) => type(event.target.value)}
          onBlur={() => setLeft(true)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            context.submitDraft();
          }}
          style={css}
        />
      </div>
      <FieldMessage id={`${id}-problem`} text={problem && copy.problem(problem)} />
    </InputColumn>
  );
}
