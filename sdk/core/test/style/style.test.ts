import { describe, expect, it } from 'vitest';
import { type Branding, buildBrandingFontLoadMap } from '../../src/index';
import { fadeBackground, isTransparent, resolveBackground, splitOpacity } from '../../src/style/background';
import { multiplyAlpha, resolveColor } from '../../src/style/color';
import { fontFileForWeight, fontFiles, logicalFontFamily } from '../../src/style/font';
import { activeBreakpoints, responsiveContainer, responsiveLayout, responsiveStyle } from '../../src/style/responsive';
import { resolveShadow } from '../../src/style/shadow';

const branding: Branding = {
  colorPresets: [],
  gradientPresets: [
    {
      id: 'AAAA',
      name: 'dawn',
      type: 'linear',
      stops: [
        { offset: 0, color: '#ff0000' },
        { offset: 1, color: '#00f' },
      ],
    },
    {
      id: 'bbbb',
      name: 'sun',
      type: 'radial',
      stops: [
        { offset: 0.25, color: '#fff' },
        { offset: 1, color: '#000' },
      ],
    },
  ],
  fontFamilies: [
    {
      id: 'f',
      name: 'Grotesk',
      styles: [
        { id: 's1', weight: 700, italic: true, url: 'https://cdn/italic.woff2' },
        { id: 's2', weight: 700, italic: false, mediaAssetId: 'm2', url: 'https://cdn/old.woff2' },
        { id: 's3', weight: 400, italic: false },
      ],
    },
  ],
};

describe('breakpoints', () => {
  it.each([
    [639, []],
    [640, ['sm']],
    [1024, ['sm', 'md', 'lg']],
    [4000, ['sm', 'md', 'lg', 'xl', '2xl']],
  ])('at %i px', (width, names) => expect(activeBreakpoints(width)).toEqual(names));

  it('merges nested objects per key and lets wider patches win', () => {
    const style = responsiveStyle<{ padding?: { t?: number; l?: number }; radius?: number }>(
      { padding: { t: 1, l: 2 }, radius: 3 },
      { lg: { padding: { t: 9 } }, sm: { padding: { l: 5 }, radius: undefined } },
      1100,
    );
    expect(style).toEqual({ padding: { t: 9, l: 5 }, radius: 3 });
  });

  it('replaces layout fields', () => {
    expect(responsiveLayout({ gap: 4, direction: 'vertical' }, { md: { direction: 'horizontal' } }, 800)).toEqual({
      gap: 4,
      direction: 'horizontal',
    });
  });

  it('replaces container padding whole and patches a fill only where there is one', () => {
    const patches = { sm: { padding: { t: 9 }, backgroundFillPatch: { opacity: 0.5, scrim: { opacity: 1 } } } };
    expect(responsiveContainer({ padding: { t: 1, l: 2 } }, patches, 700)).toEqual({ padding: { t: 9 } });
    expect(
      responsiveContainer({ backgroundFill: { kind: 'image', scrim: { color: '#000' } } }, patches, 700).backgroundFill,
    ).toEqual({ kind: 'image', opacity: 0.5, scrim: { color: '#000', opacity: 1 } });
  });
});

describe('colors', () => {
  it('picks the palette, falling back to the other side', () => {
    expect(resolveColor({ light: '#111', dark: '#222' }, 'dark', undefined)).toBe('#222');
    expect(resolveColor({ light: '#111' }, 'dark', undefined)).toBe('#111');
    expect(resolveColor({ dark: '#222' }, 'light', undefined)).toBe('#222');
  });

  it('looks $names up in the theme and nowhere else', () => {
    expect(resolveColor('$primary', 'light', { primary: '#2a9d8f' })).toBe('#2a9d8f');
    expect(resolveColor('$toString', 'light', { primary: '#2a9d8f' })).toBe('$toString');
    expect(resolveColor('$borderRadius', 'light', { borderRadius: 4 })).toBe('$borderRadius');
  });

  it.each([
    ['#fff', 0.5, 'rgba(255, 255, 255, 0.5)'],
    ['#2a9d8f', 0.5, 'rgba(42, 157, 143, 0.5)'],
    ['#00000080', 0.5, 'rgba(0, 0, 0, 0.251)'],
    ['rgb(1, 2, 3)', 0.25, 'rgba(1, 2, 3, 0.25)'],
    ['rgba(1,2,3,.5)', 0.5, 'rgba(1, 2, 3, 0.25)'],
    ['tomato', 0.5, 'tomato'],
    ['#fff', 1, '#fff'],
    ['tomato', 0, 'rgba(0, 0, 0, 0)'],
  ])('multiplies the alpha of %s by %f', (color, factor, expected) => {
    expect(multiplyAlpha(color, factor)).toBe(expected);
  });
});

describe('backgrounds', () => {
  const resolve = (value: string) => resolveBackground(value, 'light', { primary: '#123456' }, branding);

  it('reads colors, written gradients and branding gradients', () => {
    expect(resolve('$primary')).toEqual({ kind: 'color', color: '#123456' });
    expect(resolve('linear-gradient(90deg, #2a9d8f 0%, rgba(1, 2, 3, .5) 40%, #264653 100%)')).toEqual({
      kind: 'linear',
      angle: 90,
      stops: [
        { color: '#2a9d8f', offset: 0 },
        { color: 'rgba(1, 2, 3, .5)', offset: 0.4 },
        { color: '#264653', offset: 1 },
      ],
    });
    expect(resolve('$brandGradient:aaaa')).toMatchObject({ kind: 'linear', angle: 180 });
    expect(resolve('$brandGradient:bbbb')).toMatchObject({ kind: 'radial' });
    expect(resolve('$brandGradient:gone')).toBeUndefined();
  });

  it('shows the first color of a gradient that it cannot read', () => {
    expect(resolve('linear-gradient(to right, #abcdef, red)')).toEqual({ kind: 'color', color: '#abcdef' });
    expect(resolve('linear-gradient(nonsense)')).toEqual({ kind: 'color', color: '#808080' });
  });

  it('fades every stop', () => {
    const faded = fadeBackground({ kind: 'linear', angle: 0, stops: [{ color: '#fff', offset: 0 }] }, 0.5);
    expect(faded).toEqual({ kind: 'linear', angle: 0, stops: [{ color: 'rgba(255, 255, 255, 0.5)', offset: 0 }] });
  });

  it('treats a lone opacity beside a background as the background’s', () => {
    expect(splitOpacity({ background: '#fff', opacity: 0.4 })).toEqual({ whole: 1, background: 0.4 });
    expect(splitOpacity({ background: '#fff', opacity: 0.4, backgroundOpacity: 0.9 })).toEqual({
      whole: 0.4,
      background: 0.9,
    });
    expect(splitOpacity({ opacity: 0.4 })).toEqual({ whole: 0.4, background: 1 });
  });

  it('knows what is transparent', () => {
    expect(isTransparent(resolve('transparent'))).toBe(true);
    expect(isTransparent(resolve('#12345600'))).toBe(true);
    expect(isTransparent(resolve('#123456'))).toBe(false);
    expect(isTransparent(undefined)).toBe(true);
  });
});

describe('shadows and fonts', () => {
  it('fills in shadow defaults once a field is set', () => {
    expect(resolveShadow({}, 'light', undefined)).toBeUndefined();
    expect(resolveShadow({ blur: 20 }, 'light', undefined)).toEqual({
      offsetX: 0,
      offsetY: 2,
      blur: 20,
      spread: 0,
      color: 'rgba(0, 0, 0, 0.25)',
    });
  });

  it('chooses the family of the layer, then of the theme, then the platform', () => {
    expect(logicalFontFamily('Lora', { fontFamily: 'Inter' })).toBe('Lora');
    expect(logicalFontFamily(undefined, { fontFamily: 'Inter' })).toBe('Inter');
    expect(logicalFontFamily('__svc_system_ui__', { fontFamily: 'Inter' })).toBeNull();
    expect(logicalFontFamily(undefined, undefined)).toBeNull();
  });

  it('prefers the media map and an upright file of the weight', () => {
    const files = fontFiles(branding.fontFamilies[0]!, { m2: 'https://media/new.woff2' });
    expect(files.map((file) => file.url)).toEqual(['https://cdn/italic.woff2', 'https://media/new.woff2']);
    expect(fontFileForWeight(files, 700)?.styleId).toBe('s2');
    expect(fontFileForWeight(files, 300)?.styleId).toBe('s1');
    expect(buildBrandingFontLoadMap(branding)).toEqual({
      SvcFont__s1: 'https://cdn/italic.woff2',
      SvcFont__s2: 'https://cdn/old.woff2',
    });
  });
});
