import type { ButtonVariant } from '../manifest/types';
import type { PaletteValue } from './color';

export interface VariantChrome {
  background?: PaletteValue;
  label: PaletteValue;
  border?: PaletteValue;
}

const INK: PaletteValue = { light: '#0a0a0a', dark: '#fafafa' };
const PAPER: PaletteValue = { light: '#fafafa', dark: '#0a0a0a' };

/** Chrome of the button variants where the author set none (manifest.md §7.1). */
export const BUTTON_VARIANTS: Readonly<Record<ButtonVariant, VariantChrome>> = {
  primary: { background: INK, label: PAPER },
  secondary: { label: INK, border: { light: '#e4e4e7', dark: '#27272a' } },
  ghost: { label: INK },
  destructive: {
    background: { light: '#dc2626', dark: '#ef4444' },
    label: { light: '#fafafa', dark: '#fafafa' },
  },
};

export interface BrandChrome {
  background: PaletteValue;
  label: PaletteValue;
  border?: PaletteValue;
  /** English copy of a row without a label. */
  copy: string;
  icon: string;
}

const BRAND_BORDER: PaletteValue = { light: '#d1d5db', dark: '#d1d5db' };
const WHITE: PaletteValue = { light: '#ffffff', dark: '#ffffff' };

/** Looks of the three preset sign-in rows (manifest.md §8.14). */
export const OAUTH_BRANDS: Readonly<Record<'github' | 'google' | 'apple', BrandChrome>> = {
  google: {
    background: { light: '#4285F4', dark: '#ffffff' },
    label: { light: '#ffffff', dark: '#4285F4' },
    border: BRAND_BORDER,
    copy: 'Sign in with Google',
    icon: 'logo-google',
  },
  apple: {
    background: { light: '#000000', dark: '#ffffff' },
    label: { light: '#ffffff', dark: '#000000' },
    border: BRAND_BORDER,
    copy: 'Sign in with Apple',
    icon: 'logo-apple',
  },
  github: {
    background: { light: '#24292f', dark: '#24292f' },
    label: WHITE,
    copy: 'Continue with GitHub',
    icon: 'logo-github',
  },
};
