import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommonStyle } from '@svc/core';
import type { StyleScope } from '@svc/react-core';
import { boxStyle, layerOpacity } from '../../src/style/box-style';
import { chromeStyle, linearGradient } from '../../src/style/chrome';
import { fieldLook } from '../../src/style/field-style';
import { flexStyle } from '../../src/style/flex-style';
import { gradientVector } from '../../src/style/gradient';
import { paddingStyle, sizeStyle } from '../../src/style/placement';
import { COLUMN, type Surround } from '../../src/style/surround';
import { mergeTypography, type TextScope, textStyle } from '../../src/style/text-style';

const scope: StyleScope = { palette: 'light', theme: { primary: '#0d9488' }, branding: undefined };
const ROW: Surround = { axis: 'horizontal', align: 'center' };
const CENTRED: Surround = { axis: 'vertical', align: 'center' };

describe('sizes', () => {
  const size = (style: CommonStyle, surround: Surround) => {
    const { flexShrink: _, ...rest } = sizeStyle(style, surround);
    return rest;
  };

  test.each<[string, CommonStyle, Surround, object]>([
    ['px', { width: 40, height: 20 }, COLUMN, { width: 40, maxWidth: '100%', height: 20 }],
    ['a share', { width: '1/3', height: '2/3' }, COLUMN, { width: '33.3333%', minWidth: 0, height: '66.6667%' }],
    ['hugging where it would be stretched', { width: 'auto' }, COLUMN, { alignSelf: 'flex-start' }],
    ['hugging where it is centred anyway', { width: 'auto' }, CENTRED, {}],
    ['hugging in a row', { width: 'auto' }, ROW, {}],
    ['the width of a column', { width: 'full' }, COLUMN, { width: '100%', minWidth: 0 }],
    ['the width of a column beside margins', { width: 'full', margin: { l: 8 } }, COLUMN, { alignSelf: 'stretch' }],
    [
      'a limited width, which stays in the middle',
      { width: 'full', margin: { l: 8 }, maxWidth: 100 },
      CENTRED,
      { width: '100%', minWidth: 0, maxWidth: 100 },
    ],
    ['the rest of a row', { width: 'full' }, ROW, { flexGrow: 1, flexBasis: 0, minWidth: 0 }],
    ['the rest of a column', { height: 'fill' }, COLUMN, { flexGrow: 1 }],
    ['the height of a row', { height: 'full' }, ROW, { alignSelf: 'stretch' }],
    [
      'all of the box below it',
      { position: 'absolute', width: 'full', height: 'full', inset: { t: 4 } },
      ROW,
      { start: 0, end: 0, top: 4, bottom: 0 },
    ],
    [
      'limits',
      { minWidth: 1, maxWidth: 2, minHeight: 3, maxHeight: 4 },
      COLUMN,
      { minWidth: 1, maxWidth: 2, minHeight: 3, maxHeight: 4 },
    ],
  ])('%s', (_, style, surround, expected) => {
    expect(size(style, surround)).toEqual(expected);
  });

  test('only what stands in a row gives way, and not what has a width of its own', () => {
    expect(sizeStyle({}, COLUMN).flexShrink).toBe(0);
    expect(sizeStyle({}, ROW).flexShrink).toBe(1);
    expect(sizeStyle({ width: 40 }, ROW).flexShrink).toBe(0);
  });
});

describe('boxes', () => {
  test('sides follow the reading direction', () => {
    expect(paddingStyle({ l: 1, r: 2 })).toEqual({ paddingTop: 0, paddingBottom: 0, paddingStart: 1, paddingEnd: 2 });
    const free = boxStyle({ position: 'absolute', inset: { l: 3, t: 4 }, zIndex: 5 }, COLUMN, scope);
    expect(free).toMatchObject({ position: 'absolute', start: 3, top: 4, zIndex: 5 });
  });

  test('colors, borders, corners and shadows', () => {
    const style: CommonStyle = {
      background: { light: '$primary', dark: '#000000' },
      backgroundOpacity: 0.5,
      border: { width: 2 },
      radius: 6,
      shadow: { blur: 10, spread: 1, opacity: 1 },
    };
    expect(chromeStyle(style, scope)).toEqual({
      backgroundColor: 'rgba(13, 148, 136, 0.5)',
      borderWidth: 2,
      borderColor: '#e4e4e7',
      borderRadius: 6,
      boxShadow: [{ offsetX: 0, offsetY: 2, blurRadius: 10, spreadDistance: 1, color: '#000000' }],
    });
  });

  test('a linear gradient takes a view, and every other background is one color', () => {
    const gradientPresets = [
      {
        id: 'A',
        name: 'a',
        type: 'radial' as const,
        stops: [
          { offset: 0, color: '#111111' },
          { offset: 1, color: '#222222' },
        ],
      },
      { id: 'B', name: 'b', type: 'radial' as const, stops: [] },
      { id: 'C', name: 'c', type: 'linear' as const, stops: [{ offset: 0, color: '#333333' }] },
    ];
    const branded: StyleScope = { ...scope, branding: { colorPresets: [], fontFamilies: [], gradientPresets } };
    const drawn = (background: string) => [
      chromeStyle({ background }, branded).backgroundColor,
      linearGradient({ background }, branded) !== undefined,
    ];
    expect(drawn('linear-gradient(90deg, #000000 0%, #ffffff 100%)')).toEqual([undefined, true]);
    expect(drawn('linear-gradient(to right, #123456, blue)')).toEqual(['#123456', false]);
    expect(drawn('$brandGradient:a')).toEqual(['#111111', false]);
    expect(drawn('$brandGradient:b')).toEqual(['#808080', false]);
    expect(drawn('$brandGradient:c')).toEqual(['#333333', false]);
    expect(drawn('$brandGradient:gone')).toEqual([undefined, false]);
  });

  test('a gradient begins and ends where its angle points', () => {
    const rounded = (degrees: number) =>
      Object.values(gradientVector(degrees)).flatMap(({ x, y }) =>
        [x, y].map((part) => Math.round(part * 1000) / 1000),
      );
    expect(rounded(0)).toEqual([0.5, 1, 0.5, 0]);
    expect(rounded(90)).toEqual([0, 0.5, 1, 0.5]);
    expect(rounded(180)).toEqual([0.5, 0, 0.5, 1]);
    expect(rounded(135)).toEqual([0.146, 0.146, 0.854, 0.854]);
  });

  test('an old opacity beside a background fades the background alone', () => {
    expect(layerOpacity({ opacity: 0.4 })).toBe(0.4);
    expect(layerOpacity({ opacity: 0.4, background: '#fff' })).toBe(1);
    expect(layerOpacity({ opacity: 0.4 }, true)).toBeCloseTo(0.2);
  });

  test('rows and columns', () => {
    expect(flexStyle({ direction: 'horizontal', gap: 4, align: 'end', distribution: 'between', wrap: true })).toEqual({
      flexDirection: 'row',
      gap: 4,
      alignItems: 'flex-end',
      justifyContent: 'space-between',
      flexWrap: 'wrap',
    });
    expect(flexStyle({ direction: 'vertical', gap: 0 })).toEqual({
      flexDirection: 'column',
      gap: 0,
      alignItems: 'stretch',
    });
  });
});

describe('words', () => {
  const branding: NonNullable<StyleScope['branding']> = {
    colorPresets: [],
    gradientPresets: [],
    fontFamilies: [
      {
        id: 'f',
        name: 'Plantin',
        styles: [
          { id: 's4', weight: 400, italic: false, url: 'https://media.example/400.ttf' },
          { id: 's7', weight: 700, italic: false, mediaAssetId: 'm7' },
        ],
      },
    ],
  };
  const words: TextScope = {
    ...scope,
    branding,
    mediaMap: { m7: 'https://media.example/700.ttf' },
    direction: 'ltr',
    locale: 'en',
    fontsReady: true,
  };

  test('em become px, and weights hundreds', () => {
    const drawn = textStyle({ fontSize: 20, lineHeight: 1.25, letterSpacing: 0.05, fontWeight: 640 }, words);
    expect(drawn).toMatchObject({
      fontSize: 20,
      lineHeight: 25,
      letterSpacing: 1,
      fontWeight: '600',
      color: '#000000',
    });
  });

  test.each([
    ['he', 2],
    ['arn', 2],
    ['ar', undefined],
    ['AR-eg', undefined],
    ['ckb', undefined],
  ])('letters that are joined are not pulled apart: %s', (locale, spacing) => {
    expect(textStyle({ fontSize: 20, letterSpacing: 0.1 }, { ...words, locale }).letterSpacing).toBe(spacing);
  });

  test('the letters of the same languages are joined on the web', () => {
    const sheet = readFileSync(join(__dirname, '../../../react/src/style/stylesheet.ts'), 'utf8');
    const languages = [...sheet.matchAll(/:lang\((\w+)\)/g)].map(([, language]) => language as string);
    expect(languages).toContain('ar');
    for (const tag of ['ar', 'ckb', 'fa', 'he', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi']) {
      const { letterSpacing } = textStyle({ letterSpacing: 0.1 }, { ...words, locale: tag });
      expect([tag, letterSpacing === undefined]).toEqual([tag, languages.includes(tag)]);
    }
  });

  test('an uploaded font goes by the name of its file, which carries the weight', () => {
    expect(textStyle({ fontFamily: 'Plantin', fontWeight: 700 }, words)).toMatchObject({ fontFamily: 'SvcFont__s7' });
    expect(textStyle({ fontFamily: 'Plantin', fontWeight: 700 }, words).fontWeight).toBeUndefined();
    expect(textStyle({ fontFamily: 'Plantin', fontWeight: 500 }, words)).toMatchObject({ fontFamily: 'SvcFont__s4' });
  });

  test('the system stands in with the right weight until the font is there', () => {
    const early = textStyle({ fontFamily: 'Plantin', fontWeight: 700 }, { ...words, fontsReady: false });
    expect(early.fontFamily).toBeUndefined();
    expect(early.fontWeight).toBe('700');
  });

  test('the theme names the family, a sentinel the system, and of a stack the first counts', () => {
    const themed = { ...words, theme: { fontFamily: '"Gill Sans", serif' } };
    expect(textStyle({}, themed).fontFamily).toBe('Gill Sans');
    expect(textStyle({ fontFamily: '__svc_system_ui__' }, themed).fontFamily).toBeUndefined();
  });

  test('a phone means the start of a line by left, whatever the direction is', () => {
    expect(textStyle({}, { ...words, direction: 'rtl' })).toMatchObject({ textAlign: 'left', writingDirection: 'rtl' });
    expect(textStyle({ align: 'right' }, words).textAlign).toBe('right');
  });

  test('what a style leaves out is inherited', () => {
    expect(mergeTypography({ fontSize: 12, color: '#111' }, { color: '#222', align: 'center' })).toEqual({
      fontSize: 12,
      color: '#222',
      align: 'center',
    });
  });

  test('a field has its chrome, its font and a placeholder that stands back', () => {
    const look = fieldLook({}, { color: '#ff0000' }, words);
    expect(look.box).toMatchObject({ borderRadius: 10, borderWidth: 1, backgroundColor: '#fafafa', paddingStart: 12 });
    expect(look.text).toMatchObject({ fontSize: 14, color: '#ff0000' });
    expect(look.placeholderColor).toBe('rgba(255, 0, 0, 0.55)');
    expect(fieldLook({}, undefined, words).placeholderColor).toBe('#a1a1aa');
  });
});
