import type { AddressInputLayer } from '@svc/core';
import {
  type AddressPart,
  COUNTRY_CODES,
  sortedByName,
  splitFieldStyle,
  useAddressForm,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import { useMemo, useRef, useState } from 'react';
import { type TextInput, type TextInputProps, View } from 'react-native';
import { countryNamer } from './country-names';
import { CountrySheet } from './country-sheet';
import { FieldButton } from './field-button';
import { FieldInput } from './field-input';
import { FieldMessage, InputColumn } from './input-column';

const AUTO_COMPLETE: Readonly<Record<AddressPart['name'], NonNullable<TextInputProps['autoComplete']>>> = {
  line1: 'address-line1',
  line2: 'address-line2',
  city: 'postal-address-locality',
  region: 'postal-address-region',
  postalCode: 'postal-code',
  country: 'country',
};
const CONTENT_TYPE: Readonly<Record<AddressPart['name'], NonNullable<TextInputProps['textContentType']>>> = {
  line1: 'streetAddressLine1',
  line2: 'streetAddressLine2',
  city: 'addressCity',
  region: 'addressState',
  postalCode: 'postalCode',
  country: 'countryName',
};
const DEFAULT_GAP = 8;

export function AddressInputView({ layer }: { layer: AddressInputLayer }) {
  const { locale } = useRender();
  const style = useLayerStyle(layer);
  const form = useAddressForm(layer);
  const [choosing, setChoosing] = useState(false);
  const inputs = useRef<Partial<Record<AddressPart['name'], TextInput | null>>>({});
  const { field: chrome, column } = splitFieldStyle(style);
  const name = useMemo(() => countryNamer(locale), [locale]);
  const countries = useMemo(
    () => sortedByName(COUNTRY_CODES, name, locale).map((code) => ({ code, name: name(code) })),
    [name, locale],
  );
  const gap = layer.gap ?? DEFAULT_GAP;
  const typed = form.parts.filter((part) => part.name !== 'country');
  const country = form.parts.find((part) => part.name === 'country');
  /** The line after this one; the keyboard's return key leads to it. */
  const next = (part: AddressPart) => typed[typed.indexOf(part) + 1]?.name;

  return (
    <InputColumn layer={layer} style={column} gap={gap}>
      <View role="group" aria-label={form.label} style={{ gap }}>
        {form.parts.map((part) => {
          if (part.name === 'country') {
            return (
              <FieldButton
                key={part.name}
                chrome={chrome}
                text={layer.fieldStyle}
                invalid={part.invalid}
                words={part.value === '' ? '' : name(part.value)}
                placeholder={part.label}
                label={part.label}
                value={part.value === '' ? undefined : name(part.value)}
                onPress={() => setChoosing(true)}
              />
            );
          }
          const following = next(part);
          return (
            <FieldInput
              key={part.name}
              inputRef={(input) => {
                inputs.current[part.name] = input;
              }}
              chrome={chrome}
              text={layer.fieldStyle}
              invalid={part.invalid}
              value={part.value}
              onChangeText={part.change}
              onBlur={part.leave}
              placeholder={part.label}
              accessibilityLabel={part.label}
              accessibilityHint={part.invalid ? (form.problem ?? undefined) : undefined}
              autoComplete={AUTO_COMPLETE[part.name]}
              textContentType={CONTENT_TYPE[part.name]}
              autoCapitalize={part.name === 'postalCode' ? 'characters' : 'words'}
              autoCorrect={false}
              returnKeyType={following ? 'next' : 'done'}
              submitBehavior={following ? 'submit' : 'blurAndSubmit'}
              onSubmitEditing={() => following && inputs.current[following]?.focus()}
            />
          );
        })}
      </View>
      <FieldMessage text={form.problem} />
      {choosing && country ? (
        <CountrySheet
          countries={countries}
          chosen={country.value}
          onChoose={(code) => {
            country.change(code);
            setChoosing(false);
          }}
          onClose={() => {
            country.leave();
            setChoosing(false);
          }}
        />
      ) : null}
    </InputColumn>
  );
}
