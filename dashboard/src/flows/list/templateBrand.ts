import type { Brand } from '../../branding/brand';
import { isObject } from '../../editor/document/canonical';
import type { JsonObject } from '../../editor/document/operation';

/** What a brand changes of a template. What is missing stays as the template has it. */
export type TemplateBrand = { primary?: string; accent?: string; fontFamily?: string };

/** Reads a brand as the server does for a flow that is made: "Primary" and "Accent" where there are such colors, else the
 * first two, and the first font. */
export function templateBrandOf({ colorPresets, fontFamilies }: Brand): TemplateBrand {
  const colors = colorPresets.flatMap(({ name, value }) => {
    const color = opaque(value);
    return color ? [{ name: name.toLowerCase(), color }] : [];
  });
  const take = (names: RegExp) => {
    const at = Math.max(
      colors.findIndex(({ name }) => names.test(name)),
      0,
    );
    return colors.splice(at, 1)[0]?.color;
  };
  return { primary: take(/primary|brand/), accent: take(/accent|secondary/), fontFamily: fontFamilies[0]?.name };
}

/** A color as #rrggbb; undefined for what is none, and for one that lets something through. */
export function opaque(color: string): string | undefined {
  const digits = /^#([\da-f]{3}|[\da-f]{6}|[\da-f]{6}ff)$/.exec(color.trim().toLowerCase())?.[1];
  if (!digits) return undefined;
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits.slice(0, 6)}`;
}

/** A flow with the colors and the font of a brand. */
export function branded(flow: JsonObject, { primary, accent, fontFamily }: TemplateBrand): JsonObject {
  const theme = {
    ...themeOf(flow),
    ...(primary && { primary, primaryForeground: readableOn(primary) }),
    ...(accent && { accent }),
    ...(fontFamily && { fontFamily }),
  };
  return { ...flow, theme };
}

/** A drawing of a template with the colors of a brand for those of the template. */
export function recolored(drawing: string, flow: JsonObject, brand: TemplateBrand): string {
  const theme = themeOf(flow);
  return (['primary', 'accent'] as const).reduce((text, color) => {
    const [from, to] = [theme[color], brand[color]];
    return typeof from === 'string' && from && to ? text.replaceAll(from, to) : text;
  }, drawing);
}

const themeOf = ({ theme }: JsonObject): JsonObject => (isObject(theme) ? theme : {});

/** Black or white, whichever has the greater contrast with an opaque color. */
function readableOn(color: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}
