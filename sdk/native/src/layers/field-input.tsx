import type { FieldTextStyle } from '@svc/core';
import { FIELD_FONT_SIZE, type FieldChrome, useRender } from '@svc/react-core';
import { type Ref, useState } from 'react';
import { TextInput, type TextInputProps } from 'react-native';
import { useTextScope } from '../renderer/typography';
import { fieldLook } from '../style/field-style';
import { paddingStyle } from '../style/placement';
import { FieldFrame } from './field-frame';

/** What the field decides itself, so that all fields look and behave alike. */
type OwnProps = 'style' | 'editable' | 'placeholderTextColor' | 'numberOfLines';

export interface FieldInputProps extends Omit<TextInputProps, OwnProps> {
  chrome: FieldChrome;
  text?: FieldTextStyle | undefined;
  invalid?: boolean;
  /** Takes no typing for now. */
  locked?: boolean;
  /** Reads from left to right whatever the locale says. */
  ltr?: boolean;
  /** Lines of a field of several. */
  lines?: number;
  inputRef?: Ref<TextInput>;
}

/** Lines are this many times as high as their letters, unless the author says otherwise. */
const LINE_HEIGHT = 1.3;

/** A field to type into. */
export function FieldInput({ chrome, text, invalid, locked, ltr, lines, inputRef, ...props }: FieldInputProps) {
  const { interactive } = useRender();
  const scope = useTextScope();
  const [focused, setFocused] = useState(false);
  const look = fieldLook(chrome, text, ltr ? { ...scope, direction: 'ltr' } : scope);
  const { padding } = look.chrome;
  const lineHeight = (text?.fontSize ?? FIELD_FONT_SIZE) * (text?.lineHeight ?? LINE_HEIGHT);
  const height = lines === undefined ? undefined : lines * lineHeight + (padding?.t ?? 0) + (padding?.b ?? 0);
  return (
    <FieldFrame chrome={look.chrome} focused={focused} invalid={invalid ?? false}>
      <TextInput
        underlineColorAndroid="transparent"
        {...props}
        ref={inputRef}
        editable={interactive && !locked}
        placeholderTextColor={look.placeholderColor}
        onFocus={(event) => {
          setFocused(true);
          props.onFocus?.(event);
        }}
        onBlur={(event) => {
          setFocused(false);
          props.onBlur?.(event);
        }}
        style={[
          look.text,
          paddingStyle(padding),
          // The frame shows the focus; a browser would draw a second one.
          { flex: 1, minWidth: 0, outlineWidth: 0 },
          height === undefined ? null : { minHeight: height, textAlignVertical: 'top' },
        ]}
      />
    </FieldFrame>
  );
}
