import type { VariantInput } from '../graphql/schema.gen';

/** A variant while it is written. */
export type Variant = { key: string; name: string; weight: number; versionId: string | null };

/** As the server bounds them. */
export const maxVariants = 20;

export const firstVariants: readonly Variant[] = [
  { key: 'control', name: 'Control', weight: 1, versionId: null },
  { key: 'variant', name: 'Variant', weight: 1, versionId: null },
];

/** The variants with one more, whose key no other has. */
export function withAnother(variants: readonly Variant[]): Variant[] {
  let number = 2;
  while (variants.some(({ key }) => key === `variant-${number}`)) number++;
  return [...variants, { key: `variant-${number}`, name: `Variant ${number}`, weight: 1, versionId: null }];
}

/** The share of the people that a variant gets, 0 to 1. */
export function shareOf(variant: Variant, variants: readonly Variant[]): number {
  const all = variants.reduce((sum, { weight }) => sum + weight, 0);
  return all === 0 ? 0 : variant.weight / all;
}

/** What is missing before it can be a draft that starts; undefined when nothing is. */
export function lacks(variants: readonly Variant[]): string | undefined {
  if (variants.some(({ versionId }) => versionId === null)) return 'Every variant needs a version.';
  if (variants.some(({ weight }) => !Number.isInteger(weight) || weight < 1))
    return 'Weights are whole numbers of at least 1.';
  if (variants.some(({ name }) => name.trim() === '')) return 'Every variant needs a name.';
  return undefined;
}

export const toInput = (variants: readonly Variant[]): VariantInput[] =>
  variants.map(({ key, name, weight, versionId }) => ({ key, name: name.trim(), weight, versionId }));
