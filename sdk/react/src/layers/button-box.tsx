import type {
  Align,
  ButtonStyle,
  ButtonVariant,
  Direction,
  Distribution,
  Layer,
  StackLayoutBreakpoints,
} from '@svc/core';
import { BUTTON_VARIANTS, isTransparent, resolveBackground, responsiveLayout } from '@svc/core/internal';
import { type RenderContext, useAxis, useLayerStyle, useRender } from '@svc/react-core';
import type { CSSProperties, ReactNode } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { flexCss } from '../style/flex-css';
import { useStyleProps } from '../style/server-sheet';
import { typographyCss } from '../style/text-css';
import { Children } from './children';

const DEFAULT_GAP = 8;
/** Padding and corners of buttons on the web (manifest.md §7.1). */
const CHROME: ButtonStyle = { padding: { t: 10, b: 10, l: 14, r: 14 }, radius: 10 };

/** CSS of a button's chrome: what the author set, over the look of its variant. */
export function buttonChromeCss(variant: ButtonVariant, style: ButtonStyle, context: RenderContext): CSSProperties {
  const { palette, theme, branding } = context;
  const chrome = BUTTON_VARIANTS[variant];
  const authored = style.background && resolveBackground(style.background, palette, theme, branding);
  const variantBackground = chrome.background?.[palette];
  const css: CSSProperties = { color: chrome.label[palette] };
  if (!authored && variantBackground) css.backgroundColor = variantBackground;
  const wantsBorder = chrome.border && !style.border && !(authored && isTransparent(authored));
  if (wantsBorder) {
    css.borderStyle = 'solid';
    css.borderWidth = 1;
    css.borderColor = chrome.border?.[palette];
  }
  return css;
}

type ButtonLikeLayer = Layer & {
  children: readonly Layer[];
  direction?: Direction;
  gap?: number;
  align?: Align;
  distribution?: Distribution;
  style?: ButtonStyle;
  buttonLayoutBreakpoints?: StackLayoutBreakpoints;
};

interface ButtonBoxProps {
  layer: ButtonLikeLayer;
  variant: ButtonVariant;
  type?: 'button' | 'submit';
  /** Cannot be used at all. */
  disabled?: boolean;
  /** Looks disabled, but a tap still says why. */
  held?: boolean;
  busy?: boolean;
  label?: string;
  onPress?: () => void;
}

/** A button with authored children: actions, back, custom sign-in rows and sign-in forms. */
export function ButtonBox({ layer, variant, type, disabled, held, busy, label, onPress }: ButtonBoxProps) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle<ButtonStyle>(layer);
  const { direction, gap } = responsiveLayout(
    { direction: layer.direction ?? ('horizontal' as const), gap: layer.gap ?? DEFAULT_GAP },
    layer.buttonLayoutBreakpoints,
    context.width,
  );
  const looksDisabled = disabled || held || false;
  return (
    <Box
      as="button"
      className="svc-press"
      type={type ?? 'button'}
      layer={layer}
      disabled={disabled}
      aria-disabled={held || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      onClick={context.interactive ? onPress : (event: { preventDefault(): void }) => event.preventDefault()}
      opacity={layerOpacity(style, looksDisabled)}
      css={{
        position: 'relative',
        ...flexCss({ direction, gap, align: layer.align ?? 'center', distribution: layer.distribution ?? 'center' }),
        ...buttonChromeCss(variant, style, context),
        ...boxCss({ ...CHROME, ...style }, axis, context),
        ...typographyCss(style, context),
      }}
    >
      {busy ? <Spinner /> : null}
      <Children layers={layer.children} axis={direction} />
    </Box>
  );
}

export function Spinner(): ReactNode {
  const styleProps = useStyleProps();
  return <span aria-hidden="true" {...styleProps({ flexShrink: 0 }, 'svc-spinner')} />;
}
