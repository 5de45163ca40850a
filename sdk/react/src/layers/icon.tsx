import { DEFAULT_FOREGROUND, type IconLayer, type IconStyle, resolveColor } from '@svc/core';
import { useAxis, useLayerStyle, useRender, useSelected } from '@svc/react-core';
import { type CSSProperties, useEffect, useState } from 'react';
import { loadIcon, peekIcon } from '../icons/load-icon';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';

const DEFAULT_GLYPH = 24;
const MIN_GLYPH = 8;
/** Icons that say back or forward, and so turn around with the reading direction. */
const POINTS_SIDEWAYS = /^(arrow|chevron|caret)-(back|forward)/;

/** Side of the glyph in px (manifest.md §6.7). */
export function glyphSize({ width, height }: Pick<IconStyle, 'width' | 'height'>): number {
  const sides = [width, height].filter((side): side is number => typeof side === 'number');
  if (sides.length === 0) return DEFAULT_GLYPH;
  return sides.length === 2 ? Math.max(MIN_GLYPH, Math.min(...sides)) : (sides[0] ?? DEFAULT_GLYPH);
}

/** An ionicon; an empty box of its size until its shard is here, and for names that do not exist. */
export function Glyph({ name, size, css }: { name: string; size: number; css?: CSSProperties | undefined }) {
  const [svg, setSvg] = useState(() => ({ name, inner: peekIcon(name) }));
  useEffect(() => {
    let current = true;
    loadIcon(name).then(
      (inner) => current && setSvg({ name, inner }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [name]);
  const inner = svg.name === name ? svg.inner : peekIcon(name);
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      viewBox="0 0 512 512"
      width={size}
      height={size}
      fill="currentColor"
      style={{ display: 'block', flexShrink: 0, ...css }}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: markup of the icon package, read at build time
      dangerouslySetInnerHTML={{ __html: inner ?? '' }}
    />
  );
}

export function IconView({ layer }: { layer: IconLayer }) {
  const context = useRender();
  const axis = useAxis();
  const selected = useSelected();
  const style = useLayerStyle(layer);
  if (selected !== null) {
    if (layer.id.endsWith('_sel') && !selected) return null;
    if (layer.id.endsWith('_unsel') && selected) return null;
  }
  const color = resolveColor(style.color, context.palette, context.theme);
  return (
    <Box
      as="span"
      layer={layer}
      aria-hidden
      opacity={layerOpacity(style)}
      css={{
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'center',
        ...boxCss({ width: 'auto', ...style }, axis, context),
        ...(typeof style.height === 'number' ? {} : { alignSelf: 'center' }),
        color: color ?? DEFAULT_FOREGROUND[context.palette],
      }}
    >
      <Glyph
        name={layer.iconName}
        size={glyphSize(style)}
        css={context.direction === 'rtl' && POINTS_SIDEWAYS.test(layer.iconName) ? { scale: '-1 1' } : undefined}
      />
    </Box>
  );
}
