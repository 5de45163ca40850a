import * as v from 'valibot';

/** Branding as the server keeps it. Ids are made there for what has none. */
const id = v.optional(v.string());
const brandSchema = v.object({
  appIcon: v.optional(v.object({ url: v.string(), source: v.picklist(['app_store', 'play_store', 'upload']) })),
  colorPresets: v.optional(v.array(v.object({ id, name: v.string(), value: v.string() })), []),
  gradientPresets: v.optional(
    v.array(
      v.object({
        id,
        name: v.string(),
        type: v.picklist(['linear', 'radial']),
        angle: v.optional(v.number()),
        stops: v.array(v.object({ offset: v.number(), color: v.string() })),
      }),
    ),
    [],
  ),
  fontFamilies: v.optional(
    v.array(
      v.object({
        id,
        name: v.string(),
        styles: v.array(
          v.object({
            id,
            weight: v.number(),
            italic: v.optional(v.boolean(), false),
            label: v.optional(v.string()),
            mediaAssetId: v.optional(v.string()),
            url: v.optional(v.string()),
            filename: v.optional(v.string()),
          }),
        ),
      }),
    ),
    [],
  ),
});

export type Brand = v.InferOutput<typeof brandSchema>;
export type Gradient = Brand['gradientPresets'][number];
export type FontFamily = Brand['fontFamilies'][number];

export const readBrand = (json: unknown): Brand => v.parse(v.fallback(brandSchema, emptyBrand), json ?? {});

const emptyBrand: Brand = { colorPresets: [], gradientPresets: [], fontFamilies: [] };

/** A gradient as CSS. */
export function gradientCss({ type, angle = 180, stops }: Gradient): string {
  const colors = stops.map(({ color, offset }) => `${color} ${Math.round(offset * 100)}%`).join(', ');
  return type === 'linear' ? `linear-gradient(${angle}deg, ${colors})` : `radial-gradient(${colors})`;
}

/** The list with one entry changed, or without it for undefined. */
export const withEntry = <T>(list: readonly T[], at: number, entry: T | undefined): T[] =>
  list.flatMap((item, i) => (i === at ? (entry === undefined ? [] : [entry]) : [item]));

const weights: readonly [RegExp, number][] = [
  [/thin|hairline/i, 100],
  [/extra-?light|ultra-?light/i, 200],
  [/light/i, 300],
  [/medium/i, 500],
  [/semi-?bold|demi-?bold/i, 600],
  [/extra-?bold|ultra-?bold/i, 800],
  [/black|heavy/i, 900],
  [/bold/i, 700],
];

/** Weight and slant of a font file, by its name: Inter-SemiBoldItalic.woff2. */
export function styleOf(filename: string): { weight: number; italic: boolean } {
  return {
    weight: weights.find(([pattern]) => pattern.test(filename))?.[1] ?? 400,
    italic: /italic|oblique/i.test(filename),
  };
}
