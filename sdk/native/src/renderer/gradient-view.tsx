import { StyleSheet } from 'react-native';
import NativeGradient from 'react-native-linear-gradient';
import type { LinearGradient } from '../style/chrome';
import { gradientVector } from '../style/gradient';

/** A linear gradient that fills the box around it. `radius` is that of the box inside of its border, px. */
export function GradientView({ gradient, radius = 0 }: { gradient: LinearGradient; radius?: number }) {
  const stops = [...gradient.stops].sort((a, b) => a.offset - b.offset);
  return (
    <NativeGradient
      {...gradientVector(gradient.angle)}
      colors={stops.map((stop) => stop.color)}
      locations={stops.map((stop) => Math.min(1, Math.max(0, stop.offset)))}
      pointerEvents="none"
      style={[StyleSheet.absoluteFill, { borderRadius: radius }]}
    />
  );
}
