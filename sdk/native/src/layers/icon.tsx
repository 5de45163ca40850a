import type { IconLayer } from '@svc/core';
import { DEFAULT_FOREGROUND, resolveColor } from '@svc/core/internal';
import { glyphSize, turnsAround, useLayerStyle, useRender, useSelected } from '@svc/react-core';
import { View } from 'react-native';
import { loadIonicons } from '../host/drawn-modules';
import { Box } from '../renderer/box';

interface GlyphProps {
  name: string;
  /** Side in px. */
  size: number;
  color: string;
}

/** An ionicon; an empty box of its size for names that do not exist and in a build without the icons. */
export function Glyph({ name, size, color }: GlyphProps) {
  const { direction } = useRender();
  const mirrored = turnsAround(name, direction);
  const Ionicons = loadIonicons();
  return (
    <View aria-hidden style={{ width: size, height: size, ...(mirrored ? { transform: [{ scaleX: -1 }] } : {}) }}>
      {Ionicons?.hasIcon(name) && (
        <Ionicons name={name} size={size} color={color} style={{ lineHeight: size, textAlign: 'center' }} />
      )}
    </View>
  );
}

export function IconView({ layer }: { layer: IconLayer }) {
  const { palette, theme } = useRender();
  const selected = useSelected();
  const style = useLayerStyle(layer);
  if (selected !== null) {
    if (layer.id.endsWith('_sel') && !selected) return null;
    if (layer.id.endsWith('_unsel') && selected) return null;
  }
  const color = resolveColor(style.color, palette, theme) ?? DEFAULT_FOREGROUND[palette];
  return (
    <Box
      layer={layer}
      look={{ width: 'auto', ...style }}
      layout={[
        { alignItems: 'center', justifyContent: 'center' },
        typeof style.height === 'number' ? null : { alignSelf: 'center' },
      ]}
      aria-hidden
    >
      <Glyph name={layer.iconName} size={glyphSize(style)} color={color} />
    </Box>
  );
}
