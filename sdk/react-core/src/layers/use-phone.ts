import type { PhoneInputLayer } from '@svc/core';
import {
  allowedPhoneCountries,
  defaultPhoneCountry,
  draftProblem,
  type InputProblem,
  nationalDigits,
  type PhoneCountry,
  toE164,
} from '@svc/core/internal';
import type { CountryCode } from 'libphonenumber-js/min';
import { useEffect, useState } from 'react';
import { useRender } from '../renderer/render-context';

type PhoneLibrary = typeof import('libphonenumber-js/min');

/** The number library, once it is here; until then numbers are shown as bare digits. */
function usePhoneLibrary(): PhoneLibrary | null {
  const [library, setLibrary] = useState<PhoneLibrary | null>(null);
  useEffect(() => {
    let current = true;
    import('libphonenumber-js/min').then(
      // A module that is a function itself would be taken for an update of the state.
      (module) => current && setLibrary(() => module),
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

export interface Phone {
  countries: readonly PhoneCountry[];
  country: PhoneCountry;
  /** The number as it is shown. */
  formatted: string;
  problem: InputProblem | null;
  /** Chooses another country for the number. */
  choose(countryCode: string): void;
  /** Takes what the field now says. */
  type(text: string): void;
  /** The visitor has left the field: from now on problems show. */
  leave(): void;
}

/** The value of a phone layer and everything that changes it. */
export function usePhone(layer: PhoneInputLayer): Phone {
  const context = useRender();
  const library = usePhoneLibrary();
  const [left, setLeft] = useState(false);
  const { draft, attempted } = context;
  const countries = allowedPhoneCountries(layer.allowedCountryCodes);
  const phone = draft.input?.kind === 'phone' ? draft.input : null;
  const country = countries.find(({ code }) => code === phone?.countryCode) ?? defaultPhoneCountry(layer);
  const number = phone?.nationalNumber ?? '';
  const formatted = library ? new library.AsYouType(country.code as CountryCode).input(number) : number;
  const problem = left || attempted ? draftProblem(layer, draft.input, new Date().getFullYear()) : null;

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
  const choose = (countryCode: string) => set(countryCode, number);
  return { countries, country, formatted, problem, choose, type, leave: () => setLeft(true) };
}
