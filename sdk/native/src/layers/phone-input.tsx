import type { PhoneInputLayer } from '@svc/core';
import { localize } from '@svc/core/internal';
import { inputLabel, splitFieldStyle, useLayerStyle, usePhone, useRender } from '@svc/react-core';
import { useMemo, useState } from 'react';
import { StyleSheet, View } from 'react-native';
import { directionProps, directionStyle } from '../renderer/direction';
import { countryNamer } from './country-names';
import { CountrySheet } from './country-sheet';
import { FieldButton } from './field-button';
import { FieldInput } from './field-input';
import { FieldMessage, InputColumn } from './input-column';

export function PhoneInputView({ layer }: { layer: PhoneInputLayer }) {
  const context = useRender();
  const { locale, copy, screen, submitDraft } = context;
  const style = useLayerStyle(layer);
  const phone = usePhone(layer);
  const [choosing, setChoosing] = useState(false);
  const { country } = phone;
  const problem = phone.problem && copy.problem(phone.problem);
  const { field: chrome, column } = splitFieldStyle(style);
  const name = useMemo(() => countryNamer(locale), [locale]);
  return (
    <InputColumn layer={layer} style={column}>
      {/* Numbers read from left to right in every language. */}
      <View {...directionProps('ltr', locale)} style={[styles.row, directionStyle('ltr')]}>
        <FieldButton
          chrome={chrome}
          text={layer.fieldStyle}
          words={`${country.code} +${country.dial}`}
          label={copy.country}
          value={`${name(country.code)} +${country.dial}`}
          onPress={() => setChoosing(true)}
        />
        <View style={styles.number}>
          <FieldInput
            chrome={chrome}
            text={layer.fieldStyle}
            invalid={problem !== null}
            value={phone.formatted}
            onChangeText={phone.type}
            onBlur={phone.leave}
            placeholder={layer.placeholder ? localize(layer.placeholder, context) : copy.phoneNumber}
            accessibilityLabel={inputLabel(screen, layer, context)}
            accessibilityHint={problem ?? undefined}
            keyboardType="phone-pad"
            autoComplete="tel"
            textContentType="telephoneNumber"
            returnKeyType="done"
            onSubmitEditing={submitDraft}
            ltr
          />
        </View>
      </View>
      <FieldMessage text={problem} />
      {choosing ? (
        <CountrySheet
          countries={phone.countries.map(({ code, dial }) => ({ code, dial, name: name(code) }))}
          chosen={country.code}
          onChoose={(code) => {
            phone.choose(code);
            setChoosing(false);
          }}
          onClose={() => setChoosing(false)}
        />
      ) : null}
    </InputColumn>
  );
}

const styles = StyleSheet.create({
  row: { flexDirection: 'row', gap: 8 },
  number: { flex: 1 },
});
