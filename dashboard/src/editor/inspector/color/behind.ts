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
 * shows them. `chosen` is what it changes of its style while it is chosen. The check at publishing goes by the same rule
 * (lookBehind in manifest/gate_contrast.go); manifest/testdata/behind.json has it by examples. */
export function behind(node: Found, own: boolean, look: Look, chosen?: JsonObject): Behind {
  const path: Found[] = [];
  let screen = node;
  for (; screen.kind !== 'screen' && screen.parent; screen = screen.parent) path.unshift(screen);
  let below = screenBehind(screen, look);
  for (const layer of path) {
    const style = layer === node ? { ...styleOf(layer), ...chosen } : styleOf(layer);
    const opacity = splitOpacity(style);
    if (floatsBeside(layer)) below = { why: 'A layer that floats may be behind it.' };
    if (style.position === 'absolute') below = { why: 'It floats over others.' };
    if (layer === node && !own) break;
    if (opacity.whole < 1) return { why: 'A layer around it lets through what is behind.' };
    if (layer !== node && isField(layer.kind)) continue;
    const colors = painted(backgroundOf(layer, style), look, opacity.background);
    below = colors ? layered(colors, below) : { why: 'The color behind it can’t be read.' };
  }
  return below;
}

/** Whether a layer floats that is inside a sibling, or is one: it may stand behind, wherever on the screen it is. */
const floatsBeside = (layer: Found): boolean =>
  childrenOf(layer.parent!).some((one) => one.id !== layer.id && holds(one, floats));

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
  if (!colors) return { why: 'The color behind it can’t be read.' };
  if (colors.some(({ a }) => a < 1)) return { why: 'The app may show through the screen.' };
  return { colors: colors.length > 0 ? colors : base };
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

/** Whether a layer or one inside it is such. */
function holds(node: Found, isSuch: (one: Found) => boolean): boolean {
  let found = false;
  eachNode(node, (one) => {
    found ||= isSuch(one);
  });
  return found;
}

/** Whether a layer stands over others and paints more than words. */
const floats = (layer: Found) => styleOf(layer).position === 'absolute' && holds(layer, paints);

const paints = (layer: Found) => /^(image|video|lottie)$/.test(layer.kind) || styleOf(layer).background !== undefined;
