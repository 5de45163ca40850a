import type { IconLayer } from '@svc/core';
import { DEFAULT_FOREGROUND, resolveColor } from '@svc/core/internal';
import { glyphSize, turnsAround, useAxis, useLayerStyle, useRender, useSelected } from '@svc/react-core';
import { type CSSProperties, useEffect, useState } from 'react';
import { loadIcon, peekIcon } from '../icons/load-icon';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';

/** An ionicon; an empty box of its size until its shard is here, and for names that do not exist. */
export function Glyph({ name, size, css }: { name: string; size: number; css?: CSSProperties | undefined }) {
  const styleProps = useStyleProps();
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
      {...styleProps({ display: 'block', flexShrink: 0, ...css })}
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
        css={turnsAround(layer.iconName, context.direction) ? { scale: '-1 1' } : undefined}
      />
    </Box>
  );
}
