import {
  BUTTON_VARIANTS,
  DEFAULT_SCREEN_COLOR,
  fadeBackground,
  resolveBackground,
  splitOpacity,
} from '@svc/core/internal';
import { find, isObject } from '../../document/canonical';
import { childrenOf, eachNode, type Found } from '../../document/document';
import type { Json, JsonObject } from '../../document/operation';
import { colorsOf, over } from './contrast';
import type { Rgba } from './hsv';

type Resolving = Parameters<typeof resolveBackground>;

/** What colors are looked up in. */
export type Look = { palette: 'light' | 'dark'; theme: Json | undefined; branding: unknown };

/** Every color that may be behind something, or why that can't be told. */
export type Behind = { colors: readonly Rgba[] } | { why: string };

/** The colors that a value paints; none where it paints nothing, undefined for what can't be read. */
export function painted(value: Json | undefined, { palette, theme, branding }: Look, opacity = 1): Rgba[] | undefined {
  const of = [value, palette, theme, branding] as unknown as Resolving;
  const background = resolveBackground(...of);
  return background ? colorsOf(fadeBackground(background, opacity)) : [];
}

/** What is behind a layer, or with `own` behind what stands in it: the backgrounds of all that is around it, as a phone
 * shows them. `chosen` is what it changes of its style while it is chosen. */
export function behind(node: Found, own: boolean, look: Look, chosen?: JsonObject): Behind {
  const around = node.parent;
  if (node.kind === 'screen' || !around) return screenBehind(node, look);
  let below = behind(around, true, look);
  const style = { ...styleOf(node), ...chosen };
  const opacity = splitOpacity(style);
  if (childrenOf(around).some((one) => one.id !== node.id && styleOf(one).position === 'absolute' && paints(one)))
    below = { why: 'A layer that floats may be behind it.' };
  if (style.position === 'absolute') below = { why: 'It floats over others.' };
  if (!own) return below;
  const colors = painted(backgroundOf(node, style), look, opacity.background);
  if (!colors) return { why: 'The color behind it can’t be read.' };
  if (opacity.whole < 1) return { why: 'A layer around it lets through what is behind.' };
  return layered(colors, below);
}

function layered(colors: readonly Rgba[], below: Behind): Behind {
  if (colors.length === 0) return below;
  if (colors.every(({ a }) => a >= 1)) return { colors };
  if ('why' in below) return below;
  return { colors: thin(colors.flatMap((color) => below.colors.map((one) => over(color, one)))) };
}

/** Gradients over gradients have the product of their colors: of very many, every so manieth is told apart. */
const thin = (colors: readonly Rgba[]) =>
  colors.filter((_, i) => i % Math.ceil(colors.length / 400) === 0 || i === colors.length - 1);

function screenBehind({ kind, object }: Found, look: Look): Behind {
  const base = painted(DEFAULT_SCREEN_COLOR[look.palette], look)!;
  const fill = kind === 'screen' ? find(object, ['containerStyle', 'backgroundFill']) : undefined;
  if (!isObject(fill)) return { colors: base };
  if (fill.kind !== 'color') return { why: `The ${fill.kind} behind it has no one color.` };
  const colors = painted(fill.color, look, typeof fill.opacity === 'number' ? fill.opacity : 1);
  return colors ? layered(colors, { colors: base }) : { why: 'The color behind it can’t be read.' };
}

type Style = JsonObject & Parameters<typeof splitOpacity>[0];

const styleOf = ({ object }: Found) => (isObject(object.style) ? object.style : {}) as Style;

/** Inputs dress their field by their style. */
export const isField = (kind: string) => /^(text|date_time|phone|address)_input$|^email_password_field$/.test(kind);

export const isButton = (kind: string) => /^(back_)?button$|_submit$|^number_stepper_button$/.test(kind);

function backgroundOf({ kind, object }: Found, style: Style): Json | undefined {
  if (style.background !== undefined) return style.background as Json;
  const variant = (
    /^(back_)?button$/.test(kind) ? object.variant : object.buttonVariant
  ) as keyof typeof BUTTON_VARIANTS;
  return BUTTON_VARIANTS[variant]?.background;
}

/** Whether a layer, or one inside it, paints more than words. */
function paints(node: Found): boolean {
  let found = false;
  eachNode(node, (one) => {
    found ||= /^(image|video|lottie)$/.test(one.kind) || styleOf(one).background !== undefined;
  });
  return found;
}
