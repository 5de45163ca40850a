/** The three ways in which each icon is drawn, told by how its name ends. Logos have one. */
export const looks = ['outline', 'filled', 'sharp'] as const;
export type Look = (typeof looks)[number];

export const ending = /-(outline|sharp)$/;

export const lookOf = (name: string): Look => (ending.exec(name)?.[1] as Look | undefined) ?? 'filled';

/** What an icon shows, in words: its name without the look. */
export const subjectOf = (name: string): string => name.replace(ending, '').replaceAll('-', ' ');
