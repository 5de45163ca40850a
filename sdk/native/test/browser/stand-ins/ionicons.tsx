import { Text, type TextProps } from 'react-native';
import glyphs from 'react-native-vector-icons/glyphmaps/Ionicons.json';

const codes = glyphs as Record<string, number>;

interface Props extends TextProps {
  name: string;
  size: number;
  color: string;
}

/** The icon font of devices; the page loads it under the same name. */
export default function Ionicons({ name, size, color, style, ...rest }: Props) {
  return (
    <Text {...rest} style={[{ fontSize: size, color, fontFamily: 'Ionicons' }, style]}>
      {String.fromCodePoint(codes[name] ?? 63)}
    </Text>
  );
}
Ionicons.hasIcon = (name: string): boolean => name in codes;
