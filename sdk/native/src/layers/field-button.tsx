import type { FieldTextStyle } from '@svc/core';
import { type FieldChrome, useRender } from '@svc/react-core';
import { Pressable, StyleSheet, Text, View } from 'react-native';
import { useTextScope } from '../renderer/typography';
import { fieldLook } from '../style/field-style';
import { paddingStyle } from '../style/placement';
import { FieldFrame } from './field-frame';
import { Mark } from './mark';

export interface FieldButtonProps {
  chrome: FieldChrome;
  text?: FieldTextStyle | undefined;
  invalid?: boolean;
  /** What shows; the placeholder when it is empty. */
  words: string;
  placeholder?: string | undefined;
  /** Accessible name. */
  label: string;
  /** The present value, as it is read out. */
  value?: string | undefined;
  hint?: string | undefined;
  onPress(): void;
}

/** A field that opens a list or a picker instead of taking keys. */
export function FieldButton(props: FieldButtonProps) {
  const { chrome, text, invalid, words, placeholder, label, value, hint, onPress } = props;
  const { interactive } = useRender();
  const look = fieldLook(chrome, text, useTextScope());
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={label}
      accessibilityHint={hint}
      accessibilityState={{ disabled: !interactive }}
      accessibilityValue={value === undefined ? undefined : { text: value }}
      disabled={!interactive}
      onPress={onPress}
    >
      <FieldFrame chrome={look.chrome} invalid={invalid ?? false}>
        <View style={[styles.inside, paddingStyle(look.chrome.padding)]}>
          <Text
            numberOfLines={1}
            style={[look.text, styles.words, words === '' ? { color: look.placeholderColor } : null]}
          >
            {words === '' ? placeholder : words}
          </Text>
          <Mark kind="down" size={14} color={look.placeholderColor} />
        </View>
      </FieldFrame>
    </Pressable>
  );
}

const styles = StyleSheet.create({
  // As wide as its words where the field hugs them, as that of a country does.
  inside: { flexGrow: 1, flexShrink: 1, flexDirection: 'row', alignItems: 'center', gap: 8 },
  words: { flexGrow: 1, flexShrink: 1 },
});
