import { expect, test } from 'vitest';
import { branded, opaque, recolored, templateBrandOf } from './templateBrand';

const brandOf = (...colors: [name: string, value: string][]) =>
  templateBrandOf({
    colorPresets: colors.map(([name, value]) => ({ name, value })),
    gradientPresets: [],
    fontFamilies: [{ name: 'Inter', styles: [] }],
  });

test('colors are taken by their names, else in their order', () => {
  const found = brandOf(['Ink', '#111111'], ['Glass', '#ffffff80'], ['Brand green', '#0f0'], ['Secondary', '#00F']);
  expect(found).toEqual({ primary: '#00ff00', accent: '#0000ff', fontFamily: 'Inter' });
  expect(brandOf(['Ink', '#111111'], ['Sand', '#eeddcc'])).toMatchObject({ primary: '#111111', accent: '#eeddcc' });
  expect(brandOf()).toEqual({ primary: undefined, accent: undefined, fontFamily: 'Inter' });
});

test('a color of a brand is opaque', () => {
  const colors = ['#abc', '#AABBCC', '#aabbccff', '#aabbcc80', 'red', '#abcd'];
  expect(colors.map(opaque)).toEqual(['#aabbcc', '#aabbcc', '#aabbcc', undefined, undefined, undefined]);
});

test('a flow takes the colors, and what is written on them is readable', () => {
  const flow = { theme: { primary: '#d33a12', primaryForeground: '#ffffff', accent: '#ffb020', borderRadius: 16 } };
  const yellow = branded(flow, { primary: '#ffe600' });
  expect(yellow.theme).toEqual({ ...flow.theme, primary: '#ffe600', primaryForeground: '#000000' });
  expect(branded(flow, {})).toEqual(flow);
  const drawing = '<path fill="#d33a12"/><path fill="#ffb020"/>';
  expect(recolored(drawing, flow, { primary: '#123456' })).toBe('<path fill="#123456"/><path fill="#ffb020"/>');
});
