import { expect, test } from 'vitest';
import shape from '../../../manifest/shape/shape.json';
import { differsAt, heldAt, patchesOf, pathAt } from './breakpoints';
import { propertiesOf } from './properties';

test('every property that a kind can have by width is set by the control that it has at all widths', () => {
  const left: string[] = [];
  for (const kind of Object.keys(shape.kinds)) {
    const patched = new Set(
      propertiesOf(kind).flatMap(({ path, control }) =>
        'is' in control
          ? (
              pathAt(kind, path, 'lg')
                ?.filter((_, at) => at !== 1)
                .slice(0, 2) ?? []
            ).join('.')
          : [],
      ),
    );
    for (const [name, patch] of patchesOf(kind))
      for (const member of membersOf(patch))
        if (!patched.has(`${name}.${member}`)) left.push(`${kind}.${name}.${member}`);
  }
  expect(left).toEqual([]);
});

function membersOf(schema: { $ref?: string; allOf?: object[]; properties?: object }): string[] {
  const types = shape.types as unknown as Record<string, typeof schema>;
  const { allOf = [], properties = {} } = schema.$ref ? types[schema.$ref.slice(8)]! : schema;
  return [...Object.keys(properties), ...allOf.flatMap(membersOf)];
}

test('a value of a width stands beside that of all widths, and what a kind keeps at all widths has none', () => {
  expect(pathAt('stack', ['gap'], 'md')).toEqual(['stackLayoutBreakpoints', 'md', 'gap']);
  expect(pathAt('stack', ['style', 'padding'], '2xl')).toEqual(['styleBreakpoints', '2xl', 'padding']);
  expect(pathAt('screen', ['containerStyle', 'backgroundFill', 'scrim', 'opacity'], 'lg')).toEqual([
    'containerStyleBreakpoints',
    'lg',
    'backgroundFillPatch',
    'scrim',
    'opacity',
  ]);
  expect(pathAt('screen', ['containerStyle', 'backgroundFill', 'kind'], 'lg')).toBe(undefined);
  expect(pathAt('text', ['text'], 'lg')).toBe(undefined);
});

test('what holds at a width comes from narrower ones; a screen’s distances are replaced, others merge', () => {
  const text = {
    style: { fontSize: 16, padding: { t: 4, b: 4 } },
    styleBreakpoints: { sm: { fontSize: 18 }, lg: { fontSize: 24, padding: { t: 8 } } },
  };
  const held = (path: string[], at?: 'md' | 'xl') => heldAt(text, 'text', path, at);
  expect(held(['style', 'fontSize'], 'md')).toBe(18);
  expect(held(['style', 'fontSize'], 'xl')).toBe(24);
  expect(held(['style', 'padding'], 'xl')).toEqual({ t: 8, b: 4 });
  expect(differsAt(text, 'text', ['style', 'fontSize'])).toEqual([640, 1024]);
  const screen = {
    containerStyle: { padding: { t: 1, r: 2 } },
    containerStyleBreakpoints: { sm: { padding: { t: 9 } } },
  };
  expect(heldAt(screen, 'screen', ['containerStyle', 'padding'], 'md')).toEqual({ t: 9 });
});
