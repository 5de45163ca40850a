import type {
  Align,
  ButtonStyle,
  ButtonVariant,
  Direction,
  Distribution,
  Layer,
  StackLayoutBreakpoints,
} from '@svc/core';
import { BUTTON_VARIANTS, isTransparent, resolveBackground, resolveColor, responsiveLayout } from '@svc/core/internal';
import { type StyleScope, useLayerStyle, useRender } from '@svc/react-core';
import { ActivityIndicator } from 'react-native';
import { PressBox } from '../renderer/press-box';
import { useSurround } from '../renderer/surround-context';
import { TypographyContext, useTypography } from '../renderer/typography';
import { flexStyle } from '../style/flex-style';
import { hugsItsContent } from '../style/surround';
import { Children } from './children';

const DEFAULT_GAP = 8;
/** Padding and corners of buttons on phones (manifest.md §7.1). */
const CHROME: ButtonStyle = { padding: { t: 12, b: 12, l: 16, r: 16 }, radius: 10 };

/** A button's look: what the author set, over that of its variant. */
export function buttonLook(variant: ButtonVariant, style: ButtonStyle, scope: StyleScope): ButtonStyle {
  const { palette, theme, branding } = scope;
  const chrome = BUTTON_VARIANTS[variant];
  const authored = style.background && resolveBackground(style.background, palette, theme, branding);
  const look: ButtonStyle = { ...CHROME, ...style, color: style.color ?? chrome.label[palette] };
  if (!authored) {
    // A gradient that is gone from the branding leaves the variant's own color.
    delete look.background;
    if (chrome.background) look.background = chrome.background;
  }
  if (chrome.border && !style.border && !(authored && isTransparent(authored))) {
    look.border = { width: 1, color: chrome.border };
  }
  return look;
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
  /** Cannot be used at all. */
  disabled?: boolean;
  /** Looks disabled, but a tap still says why. */
  held?: boolean;
  busy?: boolean;
  label?: string | undefined;
  onPress?: () => void;
}

/** A button with authored children: actions, back, custom sign-in rows and sign-in forms. */
export function ButtonBox({ layer, variant, disabled, held, busy = false, label, onPress }: ButtonBoxProps) {
  const context = useRender();
  const style = useLayerStyle<ButtonStyle>(layer);
  const look = buttonLook(variant, style, context);
  const typography = useTypography(look);
  const hugs = hugsItsContent(look, useSurround());
  const align = layer.align ?? 'center';
  const { direction, gap } = responsiveLayout(
    { direction: layer.direction ?? ('horizontal' as const), gap: layer.gap ?? DEFAULT_GAP },
    layer.buttonLayoutBreakpoints,
    context.width,
  );
  return (
    <PressBox
      role="button"
      layer={layer}
      look={look}
      layout={flexStyle({ direction, gap, align, distribution: layer.distribution ?? 'center' })}
      {...(disabled === undefined ? {} : { disabled })}
      {...(held === undefined ? {} : { held })}
      aria-busy={busy}
      aria-label={label}
      onPress={onPress}
    >
      <TypographyContext.Provider value={typography}>
        {busy && <Spinner color={resolveColor(look.color, context.palette, context.theme)} />}
        <Children layers={layer.children} axis={direction} align={align} hugs={hugs} />
      </TypographyContext.Provider>
    </PressBox>
  );
}

/** Stands in a button whose action is under way; the button itself says so to screen readers. */
export function Spinner({ color }: { color: string | undefined }) {
  return <ActivityIndicator aria-hidden size="small" color={color} />;
}
