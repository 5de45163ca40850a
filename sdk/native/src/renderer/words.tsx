import type { FieldTextStyle } from '@svc/core';
import { Text, type TextProps } from 'react-native';
import { useTextStyle } from './typography';

export interface WordsProps extends Omit<TextProps, 'children' | 'style'> {
  text: string;
  /** Authored typography over what the box around hands down. */
  style?: FieldTextStyle;
  /** Cuts the text after this many lines. */
  lines?: number;
}

const PLAIN: FieldTextStyle = {};

/** Words in the typography of the place where they stand. */
export function Words({ text, style = PLAIN, lines, ...rest }: WordsProps) {
  const drawn = useTextStyle(style);
  return (
    <Text
      {...rest}
      numberOfLines={lines}
      style={style.opacity === undefined ? drawn : { ...drawn, opacity: style.opacity }}
    >
      {text}
    </Text>
  );
}
