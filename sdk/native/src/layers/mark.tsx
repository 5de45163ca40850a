import { Text } from 'react-native';
import { loadSvg } from '../host/drawn-modules';

/** Small signs of the renderer's own, as strokes in a square and as a letter for builds without `react-native-svg`. */
const MARKS = {
  tick: { side: 16, path: 'M3 8.5 6.5 12 13 4.5', stroke: 2.4, letter: '✓' },
  down: { side: 14, path: 'm3 5 4 4 4-4', stroke: 2, letter: '▾' },
} as const;

export interface MarkProps {
  kind: keyof typeof MARKS;
  /** Side, px. */
  size: number;
  color: string;
}

/** A tick, or an arrow that points down. Screen readers pass it over. */
export function Mark({ kind, size, color }: MarkProps) {
  const { side, path, stroke, letter } = MARKS[kind];
  const svg = loadSvg();
  if (!svg) {
    return (
      <Text aria-hidden allowFontScaling={false} style={{ color, fontSize: size, lineHeight: size }}>
        {letter}
      </Text>
    );
  }
  return (
    <svg.Svg width={size} height={size} viewBox={`0 0 ${side} ${side}`} fill="none">
      <svg.Path d={path} stroke={color} strokeWidth={stroke} strokeLinecap="round" strokeLinejoin="round" />
    </svg.Svg>
  );
}
