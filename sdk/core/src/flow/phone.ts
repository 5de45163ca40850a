/** Countries of the phone input in display order: ISO code and dialling code (runtime.md §6.3). */
const COUNTRY_DIAL_CODES =
  'US1 CA1 GB44 AU61 NZ64 IE353 DE49 FR33 ES34 IT39 PT351 NL31 BE32 CH41 AT43 SE46 NO47 DK45 FI358 PL48 CZ420 RO40 ' +
  'HU36 GR30 TR90 UA380 RU7 IN91 PK92 BD880 JP81 KR82 CN86 TW886 HK852 SG65 MY60 TH66 VN84 PH63 ID62 BR55 MX52 AR54 ' +
  'CL56 CO57 PE51 ZA27 NG234 EG20 IL972 AE971 SA966';

export interface PhoneCountry {
  /** Two upper-case letters. */
  code: string;
  dial: string;
}

const readCountries = (text: string): readonly PhoneCountry[] =>
  text.split(' ').map((entry) => ({ code: entry.slice(0, 2), dial: entry.slice(2) }));

export const PHONE_COUNTRIES: readonly PhoneCountry[] = /* @__PURE__ */ readCountries(COUNTRY_DIAL_CODES);

/** The built-in countries that a layer allows. A list that names none of them allows all. */
export function allowedPhoneCountries(allowed: readonly string[] | undefined): readonly PhoneCountry[] {
  if (!allowed) return PHONE_COUNTRIES;
  const codes = new Set(allowed.map((code) => code.toUpperCase()));
  const subset = PHONE_COUNTRIES.filter((country) => codes.has(country.code));
  return subset.length > 0 ? subset : PHONE_COUNTRIES;
}

/** The country a phone input starts with: the layer's default when allowed, else the first allowed. */
export function defaultPhoneCountry(layer: {
  defaultCountryCode?: string;
  allowedCountryCodes?: string[];
}): PhoneCountry {
  const allowed = allowedPhoneCountries(layer.allowedCountryCodes);
  const wanted = (layer.defaultCountryCode ?? 'US').toUpperCase();
  return allowed.find((country) => country.code === wanted) ?? (allowed[0] as PhoneCountry);
}

/** The most digits a national number may be typed with. */
export const MAX_NATIONAL_DIGITS = 15;

export function nationalDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, MAX_NATIONAL_DIGITS);
}

/**
 * E.164 form, or an empty string when the number cannot be one: leading zeros go (unless there is nothing else),
 * 4 to 14 digits stay.
 */
export function toE164(country: PhoneCountry, nationalNumber: string): string {
  const digits = nationalDigits(nationalNumber);
  const significant = /^0+$/.test(digits) ? digits : digits.replace(/^0+/, '');
  return significant.length >= 4 && significant.length <= 14 ? `+${country.dial}${significant}` : '';
}
