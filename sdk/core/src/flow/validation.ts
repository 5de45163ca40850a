import type { AddressField, AddressInputLayer, InputLayer, PasswordRules, TextInputLayer } from '../manifest/types';
import { compareDateTime, isDateTimeValue } from './date-time';
import { isOnStep } from './numeric';
import { allowedPhoneCountries, toE164 } from './phone';
import type { AddressValue, InputResponse } from './responses';
import { wheelOptionIds } from './wheel';

/** Why a value does not pass. Renderers turn the code into a message; `limit` is the number it names. */
export interface InputProblem {
  code:
    | 'required'
    | 'too_short'
    | 'too_long'
    | 'email'
    | 'phone'
    | 'url'
    | 'number'
    | 'date_time'
    | 'too_early'
    | 'too_late'
    | 'out_of_range'
    | 'unknown_option'
    | 'too_few'
    | 'too_many'
    | 'country'
    | 'password_short'
    | 'password_long'
    | 'password_uppercase'
    | 'password_lowercase'
    | 'password_digit'
    | 'password_special'
    | 'password_mismatch';
  limit?: number | string;
  field?: AddressField;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const PHONE_TEXT = /^[\d\s+().-]{3,32}$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** A URL with a host; `https://` is assumed when no scheme is given. No URL parser is needed, so Hermes can run it. */
export function isUrlWithHost(text: string): boolean {
  const withScheme = SCHEME.test(text) && !/^[^/?#]*:\d+([/?#]|$)/.test(text) ? text : `https://${text}`;
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/?#@]*@)?(\[[0-9a-f:.]+\]|[^\s/?#@:[\]<>^|%"\\`{}]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i.test(
    withScheme,
  );
}

/** Checks a text against its layer (runtime.md §6.1); the value is trimmed first. */
export function textProblem(layer: TextInputLayer, value: string): InputProblem | null {
  const text = value.trim();
  if (text === '') return (layer.required ?? true) ? { code: 'required' } : null;
  if (layer.minLength !== undefined && text.length < layer.minLength)
    return { code: 'too_short', limit: layer.minLength };
  if (layer.maxLength !== undefined && text.length > layer.maxLength)
    return { code: 'too_long', limit: layer.maxLength };
  switch (layer.inputType) {
    case 'email':
      return EMAIL.test(text) ? null : { code: 'email' };
    case 'phone':
      return PHONE_TEXT.test(text) ? null : { code: 'phone' };
    case 'url':
      return isUrlWithHost(text) ? null : { code: 'url' };
    case 'number':
      return /^\d+$/.test(text) ? null : { code: 'number' };
    default:
      return null;
  }
}

const DEFAULT_REQUIRED_ADDRESS_FIELDS: readonly AddressField[] = ['line1', 'city', 'postalCode', 'country'];

/** The address fields that show, in order. */
export function visibleAddressFields(layer: AddressInputLayer): AddressField[] {
  const fields: AddressField[] = ['line1', 'line2', 'city', 'region', 'postalCode', 'country'];
  return fields.filter((field) =>
    field === 'line2' ? layer.showLine2 !== false : field === 'region' ? layer.showRegion !== false : true,
  );
}

function addressProblem(layer: AddressInputLayer, value: AddressValue): InputProblem | null {
  const required = layer.requiredFields ?? DEFAULT_REQUIRED_ADDRESS_FIELDS;
  for (const field of visibleAddressFields(layer)) {
    if (required.includes(field) && !(value[field] ?? '').trim()) return { code: 'required', field };
  }
  const country = value.country.trim();
  return country === '' || /^[A-Za-z]{2}$/.test(country) ? null : { code: 'country', field: 'country' };
}

/** The wire form of an address: trimmed, country upper-case, empty optional lines left out (wire.md §6.2). */
export function normalizeAddress(value: AddressValue): AddressValue {
  const line2 = value.line2?.trim();
  const region = value.region?.trim();
  return {
    line1: value.line1.trim(),
    ...(line2 ? { line2 } : {}),
    city: value.city.trim(),
    ...(region ? { region } : {}),
    postalCode: value.postalCode.trim(),
    country: value.country.trim().toUpperCase(),
  };
}

/**
 * Checks the draft of an input (runtime.md §6); null means Continue may submit it.
 *
 * @param currentYear upper bound of a year wheel without `maxYear` is ten years later
 */
export function draftProblem(layer: InputLayer, draft: InputResponse | null, currentYear: number): InputProblem | null {
  switch (layer.kind) {
    case 'single_choice':
      return draft?.kind === 'choice' ? null : { code: 'required' };
    case 'multiple_choice': {
      const count = draft?.kind === 'multiChoice' ? draft.choiceIds.length : 0;
      const min = layer.minSelections ?? 1;
      if (count < min) return { code: 'too_few', limit: min };
      const max = layer.maxSelections;
      return max !== undefined && count > max ? { code: 'too_many', limit: max } : null;
    }
    case 'text_input':
      return textProblem(layer, draft?.kind === 'text' ? draft.value : '');
    case 'scale_input':
    case 'number_stepper':
      return (draft?.kind === 'scale' || draft?.kind === 'number_stepper') && isOnStep(draft.value, layer)
        ? null
        : { code: 'out_of_range' };
    case 'wheel_picker':
      return draft?.kind === 'wheel' && wheelOptionIds(layer, currentYear).includes(draft.value)
        ? null
        : { code: 'unknown_option' };
    case 'date_time_input': {
      const value = draft?.kind === 'date_time' ? draft.value.trim() : '';
      if (value === '') return (layer.required ?? true) ? { code: 'required' } : null;
      if (!isDateTimeValue(value, layer.mode ?? 'date')) return { code: 'date_time' };
      if (layer.min !== undefined && compareDateTime(value, layer.min) < 0)
        return { code: 'too_early', limit: layer.min };
      if (layer.max !== undefined && compareDateTime(value, layer.max) > 0)
        return { code: 'too_late', limit: layer.max };
      return null;
    }
    case 'phone_input': {
      const number = draft?.kind === 'phone' ? draft.nationalNumber : '';
      if (number.trim() === '') return (layer.required ?? true) ? { code: 'required' } : null;
      const country = allowedPhoneCountries(layer.allowedCountryCodes).find(
        (candidate) => draft?.kind === 'phone' && candidate.code === draft.countryCode,
      );
      if (!country) return { code: 'country' };
      return /^\d{1,15}$/.test(number) && toE164(country, number) !== '' ? null : { code: 'phone' };
    }
    case 'address_input':
      return draft?.kind === 'address' ? addressProblem(layer, draft.value) : { code: 'required' };
  }
}

/** What the e-mail and password block asks (runtime.md §6.6). */
export interface EmailPasswordInput {
  email: string;
  password: string;
  confirmPassword?: string;
}
interface PasswordLayer {
  mode: 'sign_in' | 'sign_up';
  minPasswordLength?: number;
  passwordRules?: PasswordRules;
}

/** Shortest password when the layer names no length. */
export const DEFAULT_MIN_PASSWORD_LENGTH = 8;

/** The first problem of the credentials in the order e-mail, password, confirmation; null when all pass. */
export function emailPasswordProblem(
  layer: PasswordLayer,
  input: EmailPasswordInput,
): { slot: 'email' | 'password' | 'confirm'; problem: InputProblem } | null {
  const email = input.email.trim();
  if (email === '') return { slot: 'email', problem: { code: 'required' } };
  if (!EMAIL.test(email)) return { slot: 'email', problem: { code: 'email' } };
  const problem = passwordProblem(layer, input.password);
  if (problem) return { slot: 'password', problem };
  if (layer.mode !== 'sign_up') return null;
  if (!input.confirmPassword) return { slot: 'confirm', problem: { code: 'required' } };
  return input.confirmPassword === input.password ? null : { slot: 'confirm', problem: { code: 'password_mismatch' } };
}

function passwordProblem(layer: PasswordLayer, password: string): InputProblem | null {
  if (password === '') return { code: 'required' };
  // Complexity rules are for new passwords; an existing account may predate them.
  if (layer.mode === 'sign_in') return null;
  const rules = layer.passwordRules ?? {};
  const min = rules.minLength ?? layer.minPasswordLength ?? DEFAULT_MIN_PASSWORD_LENGTH;
  if (password.length < min) return { code: 'password_short', limit: min };
  if (rules.maxLength !== undefined && password.length > rules.maxLength) {
    return { code: 'password_long', limit: rules.maxLength };
  }
  if (rules.requireUppercase && !/[A-Z]/.test(password)) return { code: 'password_uppercase' };
  if (rules.requireLowercase && !/[a-z]/.test(password)) return { code: 'password_lowercase' };
  if (rules.requireDigit && !/\d/.test(password)) return { code: 'password_digit' };
  return rules.requireSpecial && !/[^A-Za-z0-9]/.test(password) ? { code: 'password_special' } : null;
}

/** The descriptor that iOS password managers read when they propose a password. */
export function passwordRulesDescriptor(layer: PasswordLayer): string {
  const rules = layer.passwordRules ?? {};
  const parts = [`minlength: ${rules.minLength ?? layer.minPasswordLength ?? DEFAULT_MIN_PASSWORD_LENGTH}`];
  if (rules.maxLength !== undefined) parts.push(`maxlength: ${rules.maxLength}`);
  if (rules.requireUppercase) parts.push('required: upper');
  if (rules.requireLowercase) parts.push('required: lower');
  if (rules.requireDigit) parts.push('required: digit');
  if (rules.requireSpecial) parts.push('required: special');
  return `${parts.join('; ')};`;
}
