import type { GradientStop } from '@svc/core/internal';
import { useId } from 'react';
import { StyleSheet, View } from 'react-native';
import { loadGradient, loadSvg } from '../host/drawn-modules';
import type { LinearGradient } from '../style/chrome';
import { gradientVector, meanColor } from '../style/gradient';

export interface GradientViewProps {
  gradient: LinearGradient;
  /** Of the box inside of its border, px. */
  radius?: number;
}

/**
 * A linear gradient that fills the box around it: by `react-native-linear-gradient`, else by `react-native-svg`, else
 * the mean of its colors.
 */
export function GradientView({ gradient, radius = 0 }: GradientViewProps) {
  const NativeGradient = loadGradient();
  const stops = gradient.stops
    .map(({ color, offset }) => ({ color, offset: Math.min(1, Math.max(0, offset)) }))
    .sort((a, b) => a.offset - b.offset);
  if (!NativeGradient) return <PlainGradient angle={gradient.angle} stops={stops} radius={radius} />;
  return (
    <NativeGradient
      {...gradientVector(gradient.angle)}
      colors={stops.map((stop) => stop.color)}
      locations={stops.map((stop) => stop.offset)}
      pointerEvents="none"
      style={[StyleSheet.absoluteFill, { borderRadius: radius }]}
    />
  );
}

/** A gradient without a module of its own. */
function PlainGradient({ angle, stops, radius }: { angle: number; stops: readonly GradientStop[]; radius: number }) {
  const svg = loadSvg();
  // What stands in an address may not have the marks that React writes into its ids.
  const id = `svc${useId().replace(/\W/g, '')}`;
  const { start, end } = gradientVector(angle);
  return (
    <View
      aria-hidden
      pointerEvents="none"
      style={[
        StyleSheet.absoluteFill,
        { borderRadius: radius, overflow: 'hidden' },
        svg ? null : { backgroundColor: meanColor(stops) },
      ]}
    >
      {svg ? (
        <svg.Svg width="100%" height="100%">
          <svg.Defs>
            <svg.LinearGradient id={id} x1={start.x} y1={start.y} x2={end.x} y2={end.y}>
              {stops.map(({ color, offset }) => (
                <svg.Stop key={`${offset} ${color}`} offset={offset} stopColor={color} />
              ))}
            </svg.LinearGradient>
          </svg.Defs>
          <svg.Rect width="100%" height="100%" fill={`url(#${id})`} />
        </svg.Svg>
      ) : null}
    </View>
  );
}
