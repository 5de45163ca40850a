import type { CommonStyle, Layer } from '@svc/core';
import { useRender } from '@svc/react-core';
import type { ReactNode } from 'react';
import type { StyleProp, ViewProps, ViewStyle } from 'react-native';
import { isRigid } from '../layers/rigid';
import { LayerMotionShell } from '../motion/layer-motion-shell';
import { boxStyle, layerOpacity } from '../style/box-style';
import { linearGradient } from '../style/chrome';
import { GradientView } from './gradient-view';
import { useSurround } from './surround-context';

/** What a box is drawn from. */
export interface BoxLook {
  layer: Layer;
  /** Authored style at the present width. */
  look: CommonStyle;
  /** How it lays its children out, and whatever else its kind needs. */
  layout?: StyleProp<ViewStyle>;
  /** Fades it. */
  faded?: boolean;
}

/** The linear gradient that a style has for its background, if it has one. First child of its box. */
export function Backdrop({ look }: { look: CommonStyle }): ReactNode {
  const gradient = linearGradient(look, useRender());
  if (!gradient) return null;
  const border = look.border ? (look.border.width ?? 1) : 0;
  return <GradientView gradient={gradient} radius={Math.max(0, (look.radius ?? 0) - border)} />;
}

/** The style of a layer's box where it stands. */
export function useBoxStyle({ layer, look, layout }: BoxLook): StyleProp<ViewStyle> {
  const context = useRender();
  const surround = useSurround();
  const rigid = surround.axis === 'horizontal' && isRigid(layer, context);
  return [boxStyle(look, surround, context), rigid ? RIGID : null, layout];
}

const RIGID: ViewStyle = { flexShrink: 0, maxWidth: '100%' };

/** Box of a layer: its authored style, and whatever motion the screen gives it. */
export function Box({ layer, look, layout, faded, children, ...rest }: BoxLook & Omit<ViewProps, 'style'>) {
  return (
    <LayerMotionShell
      {...rest}
      layer={layer}
      opacity={layerOpacity(look, faded)}
      rotate={look.rotate ?? 0}
      style={useBoxStyle({ layer, look, layout })}
    >
      <Backdrop look={look} />
      {children}
    </LayerMotionShell>
  );
}
