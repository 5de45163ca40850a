import type { CommonStyle, Layer } from '@svc/core';
import { FIELD_COLORS, useAxis, useRender } from '@svc/react-core';
import type { ReactNode } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';
import { Children } from './children';

const CHILDREN_GAP = 8;

/** Column of an input: what the author put above it, the control, and what there is to say about it. */
export function InputColumn({
  layer,
  style,
  gap,
  children,
}: {
  layer: Layer & { children?: readonly Layer[] };
  style: CommonStyle;
  gap?: number;
  children: ReactNode;
}) {
  const context = useRender();
  const axis = useAxis();
  return (
    <Box
      layer={layer}
      opacity={layerOpacity(style)}
      css={{
        position: 'relative',
        display: 'flex',
        flexDirection: 'column',
        gap: gap ?? CHILDREN_GAP,
        ...boxCss(style, axis, context),
      }}
    >
      <Children layers={layer.children ?? []} axis="vertical" />
      {children}
    </Box>
  );
}

/** What is wrong with a value; read out when it appears. */
export function FieldMessage({ id, text }: { id: string; text: string | null }) {
  const styleProps = useStyleProps();
  const { palette } = useRender();
  return (
    <span
      id={id}
      role="alert"
      {...styleProps({ fontSize: 12, color: FIELD_COLORS.problem[palette] })}
      hidden={text === null}
    >
      {text}
    </span>
  );
}

const HELPER_COLOR = { light: '#52525b', dark: '#a1a1aa' };

export function FieldHelper({ id, text }: { id: string; text: string }) {
  const styleProps = useStyleProps();
  const { palette } = useRender();
  return (
    <span id={id} {...styleProps({ fontSize: 12, color: HELPER_COLOR[palette] }, 'svc-text')}>
      {text}
    </span>
  );
}
