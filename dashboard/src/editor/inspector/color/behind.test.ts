import { expect, test } from 'vitest';
import rules from '../../../../../manifest/testdata/behind.json';
import { nodeOf, open } from '../../document/document';
import type { JsonObject } from '../../document/operation';
import { behind, type Look, painted } from './behind';
import { hexOf, hsvOf } from './hsv';
import { neededBy } from './needed';

type Made = { fill?: JsonObject; outer?: JsonObject; style?: JsonObject; beside?: JsonObject[]; look?: Partial<Look> };

/** What is behind a text in a stack on a screen: colors, or why they can't be told. */
function around({ fill, outer = {}, style = {}, beside = [], look }: Made): string[] | string {
  const text = { id: 'text', kind: 'text', text: { default: 'Go' }, style };
  const stack = { id: 'stack', kind: 'stack', style: outer, children: [text, ...beside] };
  const screen = {
    id: 'screen',
    name: 'One',
    ...(fill && { containerStyle: { backgroundFill: fill } }),
    regions: { body: stack },
  };
  const theme = { primary: '#112233' };
  const { flow, ...rest } = open({ theme, screens: [screen] });
  const node = nodeOf({ flow, ...rest }, 'text')!;
  const found = behind(node, true, { palette: 'light', theme, branding: undefined, ...look });
  return 'why' in found ? found.why : found.colors.map((one) => hexOf(hsvOf(one)));
}

test.each(rules)('the check at publishing and the editor agree on what is behind a text: $name', (rule) => {
  const node = nodeOf(open({ screens: [rule.screen as unknown as JsonObject] }), 'lyr_t')!;
  const found = behind(node, true, { palette: 'light', theme: undefined, branding: undefined });
  const colors = 'why' in found ? [null] : found.colors.map((one) => hexOf(hsvOf(one)));
  expect(colors).toEqual([rule.behind].flat());
});

test('the nearest opaque background is behind a text, of the palette that is asked for', () => {
  expect(around({})).toEqual(['#ffffff']);
  expect(around({ look: { palette: 'dark' } })).toEqual(['#0a0a0a']);
  const fill = { kind: 'color', color: { light: '#eeeeee', dark: '#222222' } };
  expect(around({ fill })).toEqual(['#eeeeee']);
  expect(around({ fill, look: { palette: 'dark' } })).toEqual(['#222222']);
  expect(around({ fill, outer: { background: '$primary' } })).toEqual(['#112233']);
  expect(around({ fill, outer: { background: '$primary' }, style: { background: '#fff' } })).toEqual(['#ffffff']);
});

test('what lets light through is mixed with what is behind it', () => {
  expect(around({ outer: { background: '#000000', backgroundOpacity: 0.5 } })).toEqual(['#808080']);
  expect(around({ outer: { background: '#00000000' } })).toEqual(['#ffffff']);
  expect(around({ outer: { opacity: 0.5 } })).toMatch(/lets through/);
});

test('a gradient gives its stops and what is between them', () => {
  const colors = around({ outer: { background: 'linear-gradient(0deg, #000000 0%, #ffffff 100%)' } });
  expect(colors[0]).toBe('#000000');
  expect(colors.at(-1)).toBe('#ffffff');
  const branding = { gradientPresets: [{ id: 'a', type: 'radial', stops: [{ offset: 0, color: '#123456' }] }] };
  expect(around({ outer: { background: '$brandGradient:a' }, look: { branding } })).toEqual(['#123456']);
  const over = { background: 'linear-gradient(0deg, #00000080 0%, #ffffff80 50%, #ff000080 100%)' };
  expect(around({ outer: over, style: over }).length).toBeGreaterThan(100);
});

test('pictures, and what floats, can’t be told, but for what an opaque color hides', () => {
  const image = { kind: 'image', media: { mediaAssetId: 'x' } };
  expect(around({ fill: image })).toMatch(/image behind it/);
  expect(around({ fill: { kind: 'video' } })).toMatch(/video behind it/);
  expect(around({ fill: image, outer: { background: '#ffffff' } })).toEqual(['#ffffff']);
  expect(around({ style: { position: 'absolute' } })).toMatch(/floats over/);
  const floating = { id: 'picture', kind: 'image', style: { position: 'absolute' } };
  expect(around({ beside: [floating] })).toMatch(/may be behind/);
  expect(around({ beside: [floating], style: { background: '#000000' } })).toEqual(['#000000']);
  // What floats in another stack may reach beyond it.
  const apart = { id: 'apart', kind: 'stack', children: [floating] };
  expect(around({ beside: [apart] })).toMatch(/may be behind/);
  expect(around({ outer: { background: 'rebeccapurple' } })).toMatch(/can’t be read/);
});

test('texts need 4.5, large ones and controls 3, decoration nothing', () => {
  const least = (kind: string, path: string, object: JsonObject = {}) => neededBy(kind, path.split('/'), object)?.least;
  expect(least('text', 'style/color')).toBe(4.5);
  expect(least('text', 'style/color', { style: { fontSize: 24 } })).toBe(3);
  expect(least('text', 'style/color', { style: { fontSize: 19, fontWeight: 700 } })).toBe(3);
  expect(least('text', 'style/color', { style: { fontSize: 19, fontWeight: 600 } })).toBe(4.5);
  expect(least('text', 'selectedStyle/color', { style: { fontSize: 30 } })).toBe(3);
  expect(least('icon', 'style/color')).toBe(3);
  expect(least('text_input', 'fieldStyle/color')).toBe(4.5);
  expect(least('text_input', 'style/border/color')).toBe(3);
  expect(least('button', 'style/background')).toBe(3);
  expect(least('progress', 'fillColor')).toBe(3);
  for (const none of ['style/background', 'style/border/color', 'style/shadow/color', 'trackColor'])
    expect([none, least('stack', none)]).toEqual([none, undefined]);
});

test('a color that is not there paints nothing', () => {
  const look: Look = { palette: 'light', theme: undefined, branding: undefined };
  expect(painted(undefined, look)).toEqual([]);
  expect(painted('$brandGradient:gone', look)).toEqual([]);
  expect(painted('$primary', look)).toBeUndefined();
});
