import { expect, test } from 'vitest';
import shape from '../../../manifest/shape/shape.json';
import type { JsonObject } from './document/operation';
import { labelOf } from './labels';
import { kindNames } from './names';
import { applies, propertiesOf, sections } from './properties';

const kinds = shape.kinds as unknown as Record<
  string,
  { is: string; properties?: object; variants?: Record<string, { properties?: object }> }
>;
const layers = Object.keys(kinds).filter((kind) => kinds[kind]!.is === 'layer');
const edited = [...layers, 'screen', 'surface', 'flow'];

test('every kind of layer has a name', () => {
  expect(layers).toHaveLength(31);
  for (const kind of edited) expect(kindNames[kind], kind).toBeDefined();
});

test('every property of every kind has a control, or is named here as left to JSON', () => {
  const left = new Set<string>();
  for (const kind of edited) {
    const found = propertiesOf(kind);
    const { properties = {}, variants = {} } = kinds[kind]!;
    const all = [properties, ...Object.values(variants).map((variant) => variant.properties ?? {})].flatMap(
      Object.keys,
    );
    const missing = all.filter((name) => !found.some(({ path }) => path[0] === name));
    expect(missing, kind).toEqual(kind === 'flow' ? ['flowId', 'schemaVersion', 'version'] : []);
    for (const { path, control, section } of found) {
      expect(sections).toContain(section);
      if ('json' in control) left.add(`${path.join('.')}: ${control.json}`);
    }
  }
  expect([...left].sort()).toMatchInlineSnapshot(`
    [
      "allowedCountryCodes: a list",
      "authLayoutBreakpoints: by breakpoint",
      "builderMeta: not shown",
      "buttonLayoutBreakpoints: by breakpoint",
      "carouselLayoutBreakpoints: by breakpoint",
      "choiceLayoutBreakpoints: by breakpoint",
      "containerStyleBreakpoints: by breakpoint",
      "hyperlinkLayoutBreakpoints: by breakpoint",
      "locales: a list",
      "requiredFields: a list",
      "restingMotion: not shown",
      "sdkAttributeKeys: a list",
      "selectedStyleBreakpoints: by breakpoint",
      "stackLayoutBreakpoints: by breakpoint",
      "styleBreakpoints: by breakpoint",
    ]
  `);
});

test('of an object of several forms, what its form has applies', () => {
  const shown = (kind: string, object: JsonObject) =>
    propertiesOf(kind)
      .filter((one) => applies(one, object, kind))
      .map(({ path }) => path.join('.'))
      .filter((path) => /backgroundFill|config|outcomes/.test(path));
  const screen = (kind?: string): JsonObject =>
    kind === undefined ? {} : { containerStyle: { backgroundFill: { kind } } };
  const fill = (names: string) => names.split(' ').map((name) => `containerStyle.backgroundFill.${name}`);
  expect(shown('screen', screen())).toEqual(fill('kind'));
  expect(shown('screen', screen('color'))).toEqual(fill('kind color opacity'));
  expect(shown('screen', screen('image'))).toEqual(fill('kind opacity fit media scrim.color scrim.opacity'));
  expect(shown('screen', screen('video'))).toContain('containerStyle.backgroundFill.loop');
  const config = { provider: 'headless', hostKey: 'survey' };
  expect(shown('surface', { config, outcomes: { restore_completed: null } })).toEqual([
    ...['completed', 'restore_completed'].map((name) => `outcomes.${name}`),
    'config.provider',
    'config.hostKey',
    ...['back', 'dismissed', 'failed'].map((name) => `outcomes.${name}`),
  ]);
});

test('no two properties of a section are called the same', () => {
  for (const kind of edited) {
    const names = propertiesOf(kind)
      .filter(({ control }) => 'is' in control)
      .map(({ path, section }) => `${section}: ${labelOf(path)}`);
    expect(
      names.filter((name, i) => names.indexOf(name) !== i),
      kind,
    ).toEqual([]);
  }
});
