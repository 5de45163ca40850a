import type { ReactNode } from 'react';
import { View, type ViewProps } from 'react-native';

interface Props extends ViewProps {
  colors: string[];
  locations: number[];
  start: { x: number; y: number };
  end: { x: number; y: number };
  children?: ReactNode;
}

/** Draws a native gradient as one of CSS, which goes from corner to corner as an angle wants. */
export default function LinearGradient({ colors, locations, start, end, style, ...rest }: Props) {
  const degrees = (Math.atan2(end.x - start.x, start.y - end.y) * 180) / Math.PI;
  const stops = colors.map((color, i) => `${color} ${(locations[i] ?? 0) * 100}%`).join(', ');
  const image = { backgroundImage: `linear-gradient(${degrees}deg, ${stops})` };
  return <View {...rest} style={[style, image as object]} />;
}
