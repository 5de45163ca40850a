import { isObject } from '../canonical';
import type { Flow } from '../document';
import type { Json, JsonObject } from '../operation';

/** A color by the name that the theme of a flow has for it. */
export type Token = 'primary' | 'primaryForeground' | 'accent' | 'background' | 'foreground';

const [ink, paper] = ['#0a0a0a', '#fafafa'];
const onPaper = { light: ink, dark: paper };
const onInk = { light: paper, dark: ink };
/** What the renderer draws with where a theme is silent. */
const plain: Record<Token, Json> = {
  primary: onPaper,
  primaryForeground: onInk,
  accent: onPaper,
  background: { light: '#ffffff', dark: ink },
  foreground: onPaper,
};

/** Returns how a flow writes a color: by its name where the theme has it, else as a color for each palette. */
export function colorsOf(flow: Flow): (token: Token) => Json {
  const theme = isObject(flow.theme) ? flow.theme : {};
  return (token) => (typeof theme[token] === 'string' ? `$${token}` : plain[token]);
}

/** A layer whose texts and icons all have a color, as publishing asks for: that of the buttons that they label, else the
 * foreground. */
export function colored(layer: JsonObject, colorOf: (token: Token) => Json, around?: Json): JsonObject {
  const color = labelOf(layer) ?? around ?? colorOf('foreground');
  const out: Record<string, Json> = { ...layer };
  for (const slot of ['children', 'slides']) {
    const inside = layer[slot];
    if (!Array.isArray(inside)) continue;
    out[slot] = inside.map((child: Json) => (isObject(child) ? colored(child, colorOf, color) : child));
  }
  const style = isObject(layer.style) ? layer.style : {};
  if (['text', 'icon'].includes(String(layer.kind)) && style.color === undefined) out.style = { ...style, color };
  return out;
}

/** The color of a button's words, which goes by its variant. */
function labelOf({ variant, buttonVariant }: JsonObject): Json | undefined {
  switch (variant ?? buttonVariant) {
    case 'primary':
      return onInk;
    case 'destructive':
      return paper;
  }
  return undefined;
}
