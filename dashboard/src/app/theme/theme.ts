import { createTheme, defaultVariantColorsResolver, type MantineColorsTuple } from '@mantine/core';

/** Shades of the accent, for what Mantine draws itself; 6 is the light theme's, 3 the dark one's. */
const accent: MantineColorsTuple = [
  '#eef0ff',
  '#dde1ff',
  '#b9c1ff',
  '#8b98ff',
  '#6b7af5',
  '#5464e6',
  '#4353d9',
  '#3a48c4',
  '#303ca6',
  '#262f85',
];

/** The neutral ramp of the dark theme, for what Mantine draws itself: tracks, skeletons, what is disabled. Its own is
 * warmer than our surfaces. */
const dark: MantineColorsTuple = [
  '#eceef3',
  '#b3b9c6',
  '#8f96a5',
  '#6d7483',
  '#3a404c',
  '#2c313b',
  '#1f232b',
  '#1a1d24',
  '#14171c',
  '#0f1115',
];

/** What words of quiet buttons are written in. */
const inks: Partial<Record<string, string>> = { accent: 'var(--accent-ink)', red: 'var(--bad)' };

/** The head of a dialog is no banner of the page, which has one. */
const attributes = { header: { role: 'presentation' } };

export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent, dark },
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  // Mantine takes the words of a filled button from the light shade alone.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const filled = input.variant === 'filled' && (input.color === undefined || input.color === 'accent');
    if (filled) return { ...colors, background: 'var(--accent)', color: 'var(--on-accent)' };
    // In dark colors its words would be nearly white, whatever they do.
    const ink = inks[input.color ?? 'accent'];
    return input.variant === 'subtle' && ink ? { ...colors, color: ink, hover: 'var(--hover)' } : colors;
  },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '600' },
  components: {
    Button: { defaultProps: { size: 'compact-md' } },
    Tooltip: { defaultProps: { openDelay: 300, withinPortal: true } },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-start', transitionProps: { duration: 80 } } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    Modal: { defaultProps: { transitionProps: { duration: 120 }, centered: true, attributes } },
    Drawer: { defaultProps: { position: 'right', transitionProps: { duration: 160 }, attributes } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', comboboxProps: { shadow: 'md', transitionProps: { duration: 80 } } } },
  },
});
