import type { TextInputLayer } from '@svc/core';
import { own } from '@svc/core/internal';

/** What a field may be filled with, in the words that browsers and React Native share. */
export type Autofill = 'email' | 'tel' | 'url' | 'name' | 'given-name' | 'family-name' | 'off' | 'on';

const BY_TYPE: Partial<Record<NonNullable<TextInputLayer['inputType']>, Autofill>> = {
  email: 'email',
  phone: 'tel',
  url: 'url',
};
/** Authors have no way to say that a plain field is a name, but they call its key so. */
const NAMES: Readonly<Record<string, Autofill>> = {
  name: 'name',
  full_name: 'name',
  fullname: 'name',
  your_name: 'name',
  user_name: 'name',
  first_name: 'given-name',
  firstname: 'given-name',
  given_name: 'given-name',
  last_name: 'family-name',
  lastname: 'family-name',
  family_name: 'family-name',
  surname: 'family-name',
};

/** Says what the device may offer to fill a text field with. */
export function autofillOf({ inputType = 'plain', masked, fieldKey }: TextInputLayer): Autofill {
  if (masked && inputType !== 'multiline') return 'off';
  const byKey = own(NAMES, fieldKey);
  return BY_TYPE[inputType] ?? (inputType === 'plain' ? byKey : undefined) ?? 'on';
}
