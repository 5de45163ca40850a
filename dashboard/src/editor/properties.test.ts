import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import shape from '../../../manifest/shape/shape.json';
import type { JsonObject } from './document/operation';
import { labelOf } from './labels';
import { kindNames } from './names';
import { applies, propertiesOf, sections } from './properties';

const kinds = shape.kinds as unknown as Record<
  string,
  {
    is: string;
    properties?: object;
    slots?: Record<string, { holds: string }>;
    variants?: Record<string, { properties?: object }>;
  }
>;
const layers = Object.keys(kinds).filter((kind) => kinds[kind]!.is === 'layer');
const items = ['clip', 'conditionalCase', 'decisionCase', 'motion', 'option', 'wheelOption'];
const edited = [...layers, 'screen', 'surface', 'flow'];

/** What lists of items are set by, for slots have no property: the control that shows them. */
const slots: Record<string, string> = {
  'flow.decisionNodes': 'the graph',
  'flow.externalSurfaceNodes': 'the graph',
  'flow.layout': 'the graph',
  'flow.screens': 'the list of screens',
  '*.children': 'the tree',
  'carousel.slides': 'the tree',
  'screen.body': 'the tree',
  'screen.header': 'inspector/Regions.tsx',
  'screen.footer': 'inspector/Regions.tsx',
  'screen.animations': 'inspector/motion/Clips.tsx',
  '*.restingMotions': 'inspector/motion/RestingMotions.tsx',
  '*.cases': 'inspector/conditions/Cases.tsx',
  '*.optionBindings': 'inspector/conditions/OptionsLead.tsx',
  'wheel_picker.options': 'inspector/WheelOptions.tsx',
};

/** What members of items are set by, where the control of their list does not go by the table of properties. */
const inList: Record<string, readonly string[]> = {
  'inspector/motion/Clips.tsx': [...['delayMs', 'durationMs', 'staggerIndex', 'targetLayerId', 'trigger', 'tracks']],
  'inspector/conditions/Cases.tsx': ['expression', 'name', 'next', 'rootLayerId'],
  'inspector/conditions/OptionsLead.tsx': ['rootLayerId'],
  'inspector/WheelOptions.tsx': ['label'],
};

test('every kind of layer has a name', () => {
  expect(layers).toHaveLength(31);
  for (const kind of edited) expect(kindNames[kind], kind).toBeDefined();
});

/** What nobody sets: the server does, or it can be one thing only. */
const unset: Record<string, string[]> = { flow: ['flowId', 'schemaVersion', 'version'], icon: ['family'] };

test('every property of every kind has a control, or is named here as left to JSON', () => {
  const left = new Set<string>();
  for (const kind of edited) {
    const found = propertiesOf(kind);
    const { properties = {}, variants = {} } = kinds[kind]!;
    const all = [properties, ...Object.values(variants).map((variant) => variant.properties ?? {})].flatMap(
      Object.keys,
    );
    const missing = all.filter((name) => !found.some(({ path }) => path[0] === name));
    expect(missing, kind).toEqual(unset[kind] ?? []);
    for (const { path, control, section } of found) {
      expect(sections).toContain(section);
      if ('json' in control) left.add(`${path.join('.')}: ${control.json}`);
    }
  }
  expect([...left].sort()).toMatchInlineSnapshot(`
    [
      "authLayoutBreakpoints: by breakpoint",
      "builderMeta: not shown",
      "buttonLayoutBreakpoints: by breakpoint",
      "carouselLayoutBreakpoints: by breakpoint",
      "choiceLayoutBreakpoints: by breakpoint",
      "containerStyleBreakpoints: by breakpoint",
      "hyperlinkLayoutBreakpoints: by breakpoint",
      "restingMotion: not shown",
      "selectedStyleBreakpoints: by breakpoint",
      "stackLayoutBreakpoints: by breakpoint",
      "styleBreakpoints: by breakpoint",
    ]
  `);
});

test('every list of a node has a control that names each member of what is in it', () => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
  const holders: Record<string, string> = {};
  for (const [kind, { slots: own = {} }] of Object.entries(kinds))
    for (const [name, { holds }] of Object.entries(own)) {
      const control = slots[`${kind}.${name}`] ?? slots[`*.${name}`];
      expect(control, `${kind}.${name}`).toBeDefined();
      if (items.includes(holds)) holders[holds] = control!;
    }
  expect(Object.keys(holders).sort()).toEqual(items);
  for (const [kind, file] of Object.entries(holders)) {
    const members = Object.keys(kinds[kind]!.properties!);
    if (kind === 'motion') {
      expect(read(file)).toContain(`propertiesOf('motion')`);
      const left = propertiesOf(kind).flatMap(({ path, control }) =>
        'json' in control ? [`${path.join('.')}: ${control.json}`] : [],
      );
      expect(left.sort()).toEqual(
        ['scaleDownPercent', 'scaleUpPercent', 'translatePeakXPx', 'translatePeakYPx', 'translateRangePx'].map(
          (name) => `${name}: older form`,
        ),
      );
      continue;
    }
    expect([...inList[file]!].filter((name) => members.includes(name)).sort(), kind).toEqual(members.sort());
    // The tracks of an animation and what an option shows have files of their own.
    for (const name of members)
      if (name !== 'rootLayerId') expect(read(file) + read('inspector/motion/Tracks.tsx'), name).toContain(name);
  }
});

test('of a resting motion, what its preset has applies, and what is set', () => {
  const shown = (object: JsonObject) =>
    propertiesOf('motion')
      .filter((one) => 'is' in one.control && applies(one, object, 'motion'))
      .map(({ path }) => path[0]);
  const always = ['preset', 'delayMsAfterMountEnd', 'intensity', 'loop', 'timelineStartMs'];
  expect(shown({ preset: 'pulse', loop: true }).sort()).toEqual(
    [...always, 'cycleDurationMs', 'pulseMinOpacity'].sort(),
  );
  expect(shown({ preset: 'bounce', pulseMinOpacity: 0.5 }).sort()).toEqual(
    [...always, 'bounceAmplitudePx', 'durationMs', 'pulseMinOpacity'].sort(),
  );
  for (const preset of ['translate', 'scale', 'rotate']) {
    const names = propertiesOf('motion')
      .filter((one) => applies(one, { preset, loop: true }, 'motion'))
      .map(({ path }) => labelOf(path));
    expect(new Set(names).size, preset).toBe(names.length);
  }
});

test('a switch that nobody set stands as the renderers take it', () => {
  const isOn = (kind: string, name: string) =>
    propertiesOf(kind).find(({ path }) => path.at(-1) === name)?.control as { is: string; on?: true };
  for (const kind of ['lottie', 'video', 'screen'])
    for (const name of ['loop', 'autoPlay'])
      expect(isOn(kind, name), `${kind} ${name}`).toEqual({ is: 'switch', on: true });
  for (const [kind, name] of [
    ['carousel', 'loop'],
    ['motion', 'loop'],
    ['video', 'audioEnabled'],
  ] as const)
    expect(isOn(kind, name), `${kind} ${name}`).toEqual({ is: 'switch' });
  expect(isOn('motion', 'scaleSpringBack').on).toBe(true);
  expect(isOn('address_input', 'showLine2').on).toBe(true);
});

test('of a wheel, what its mode has applies, and what is set', () => {
  const shown = (object: JsonObject) =>
    propertiesOf('wheel_picker')
      .filter((one) => applies(one, object, 'wheel_picker'))
      .map(({ path }) => path[0])
      .filter((name) => /^(datePart|minYear|maxYear|defaultOptionId)$/.test(name!));
  expect(shown({})).toEqual(['defaultOptionId']);
  expect(shown({ mode: 'date' }).sort()).toEqual(['datePart', 'maxYear', 'minYear']);
  expect(shown({ mode: 'options', minYear: 1990 }).sort()).toEqual(['defaultOptionId', 'minYear']);
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
