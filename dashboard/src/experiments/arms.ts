import type { VariantInput } from '../graphql/schema.gen';

/** An arm while it is written. */
export type Arm = { key: string; name: string; weight: number; versionId: string | null };

/** As the server bounds them. */
export const maxArms = 20;

export const firstArms: readonly Arm[] = [
  { key: 'control', name: 'Control', weight: 1, versionId: null },
  { key: 'variant', name: 'Variant', weight: 1, versionId: null },
];

/** The arms with one more, whose key no other has. */
export function withAnother(arms: readonly Arm[]): Arm[] {
  let number = 2;
  while (arms.some(({ key }) => key === `variant-${number}`)) number++;
  return [...arms, { key: `variant-${number}`, name: `Variant ${number}`, weight: 1, versionId: null }];
}

/** The share of the people that an arm gets, 0 to 1. */
export function shareOf(arm: Arm, arms: readonly Arm[]): number {
  const all = arms.reduce((sum, { weight }) => sum + weight, 0);
  return all === 0 ? 0 : arm.weight / all;
}

/** What is missing before it can be a draft that starts; undefined when nothing is. */
export function lacks(arms: readonly Arm[]): string | undefined {
  if (arms.some(({ versionId }) => versionId === null)) return 'Every variant needs a version.';
  if (arms.some(({ weight }) => !Number.isInteger(weight) || weight < 1))
    return 'Weights are whole numbers of at least 1.';
  if (arms.some(({ name }) => name.trim() === '')) return 'Every variant needs a name.';
  return undefined;
}

export const toInput = (arms: readonly Arm[]): VariantInput[] =>
  arms.map(({ key, name, weight, versionId }) => ({ key, name: name.trim(), weight, versionId }));
