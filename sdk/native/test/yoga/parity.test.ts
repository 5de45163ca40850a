import { readFileSync } from 'node:fs';
import type { FlowManifest, Layer, Screen, StackLayer } from '@svc/core';
import { allScreenLayers, walkLayers } from '@svc/core/internal';
import { MotionProvider } from '@svc/react-core';
import { act, createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { create } from 'react-test-renderer';
import { expect, it } from 'vitest';
import { LayerRenderer as WebRenderer } from '../../../react/src/renderer/layer-renderer';
import type { FilmProps } from '../../src/adapters/adapters';
import { LayerRenderer as NativeRenderer } from '../../src/renderer/layer-renderer';
import { withFlavour } from '../support/adapters';
import { manifest, screen } from '../support/manifests';
import { differingBoxes } from './compare-layout';
import { DIFFERENCES } from './differences';
import { LATE } from './lay-out';
import { StyleSheet } from './react-native';
import { WebPage } from './web-page';

// Draws every kind of layer with and without each property of its styles, on the web and on a phone, and writes down
// where they go apart; and compares where the boxes of every layer of the examples stand. `npx vitest run --project native-yoga -u` writes `sdk/parity.json` anew.

type Schema = {
  $ref?: string;
  const?: string;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
};
type Style = Record<string, unknown>;
type Drawn = Layer & Record<string, Style | undefined>;

interface Row {
  kind: string;
  property: string | null;
  verdict: 'equal' | 'differs' | 'unsupported';
  reason?: string;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { $defs: defs } = read('../../../../manifest/schema.json') as { $defs: Record<string, Schema> };
const EXAMPLES = ['all-layers', 'linear-onboarding', 'branching-onboarding', 'paywall-flow'];
const examples = EXAMPLES.map((name) => read(`../../../../manifest/examples/${name}.json`) as FlowManifest);
const [example] = examples as [FlowManifest];
const mediaMap = Object.fromEntries(
  [...JSON.stringify(example).matchAll(/"mediaAssetId":"([^"]+)"/g)].map(([, id]) => [id, 'https://cdn.example/a.png']),
);

/** A value for each property that no author's default happens to be. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  padding: { t: 7, r: 5, b: 9, l: 3 },
  margin: { t: 6, r: 4, b: 8, l: 2 },
  inset: { t: 3, l: 4 },
  radius: 17,
  background: '#123456',
  border: { width: 3, color: '#ff0000' },
  shadow: { offsetY: 6, blur: 12 },
  opacity: 0.5,
  backgroundOpacity: 0.4,
  width: 123,
  height: 77,
  minWidth: 33,
  maxWidth: 222,
  minHeight: 44,
  maxHeight: 66,
  position: 'absolute',
  zIndex: 5,
  rotate: 12,
  strokeWidth: 9,
  fontFamily: 'Georgia',
  fontSize: 31,
  fontWeight: 300,
  color: '#aa3300',
  align: 'right',
  lineHeight: 1.9,
  letterSpacing: 0.2,
  fit: 'fill',
  aspectRatio: 2.5,
  size: 41,
  checkColor: '#00aa00',
};
/** What a property needs beside it to show. */
const COMPANIONS: Readonly<Record<string, Style>> = {
  inset: { position: 'absolute' },
  backgroundOpacity: { background: '#123456' },
};
/** Styles that show when a person has chosen something; they are merged over the style by code that both share. */
const AFTER_A_CHOICE = ['selectedStyle', 'checkedStyle', 'selectedItemStyle'];
/** What the markup of the web says and nobody sees: the tick of a box that has none. */
const SHOWS_NOWHERE = ['checkbox.uncheckedStyle.checkColor'];
/** Kinds that stand in another one only. */
const PARENTS: Readonly<Record<string, string>> = {
  oauth_provider: 'oauth_login',
  email_password_field: 'email_password_auth',
  email_password_submit: 'email_password_auth',
  number_stepper_button: 'number_stepper',
  number_stepper_value: 'number_stepper',
};

const properties = (schema: Schema): Record<string, Schema> =>
  Object.assign(
    {},
    ...(schema.allOf ?? []).map((part) => properties(part.$ref ? named(part.$ref) : part)),
    schema.properties,
  );
const named = (ref: string): Schema => defs[ref.replace('#/$defs/', '')] as Schema;

/** Styles by kind, each with the properties it may have. A kind of several forms has those of its last one. */
function stylesByKind(): Map<string, Map<string, string[]>> {
  const found = new Map<string, Map<string, string[]>>();
  for (const [name, schema] of Object.entries(defs)) {
    const members = properties(schema);
    const kind = members.kind?.const;
    if (!kind || !name.endsWith('Layer')) continue;
    const styles = Object.entries(members).flatMap(([member, { $ref }]): [string, string[]][] =>
      $ref?.endsWith('Style') && !AFTER_A_CHOICE.includes(member)
        ? [[member, Object.keys(properties(named($ref)))]]
        : [],
    );
    found.set(kind, new Map(styles));
  }
  return found;
}

/** A layer and everything in it. */
function inside(root: Layer): Layer[] {
  const found: Layer[] = [];
  walkLayers(root, (layer) => void found.push(layer));
  return found;
}

const layers: Layer[] = example.screens.flatMap((one) => allScreenLayers(one));

/** A layer of the examples with what has to be around it. */
function exampleOf(kind: string): Layer {
  const found = layers.find(
    (layer) =>
      layer.kind === (PARENTS[kind] ?? kind) &&
      inside(layer).some((inner) => inner.kind === kind && !('provider' in inner)),
  );
  if (!found) throw new Error(`no example has a layer of kind ${kind}`);
  const copy = structuredClone(found);
  if (copy.kind === 'loader') copy.variant = 'circular';
  return copy;
}

function onScreen(root: Layer): { manifest: FlowManifest; screen: Screen } {
  const beside: StackLayer = { id: 'lyr_beside', kind: 'stack', direction: 'vertical', children: [] };
  const one = screen('scr_a', [root, beside]);
  return { manifest: manifest([one]), screen: one };
}

const still = (drawn: ReactNode) => createElement(MotionProvider, { timeMs: LATE }, drawn);

/** A film that says how it was to be drawn. */
const Film = ({ fit, loop, muted }: FilmProps) => createElement('Film', { fit, loop, muted });

async function onPhone(root: Layer): Promise<string> {
  const screen = createElement(NativeRenderer, { ...onScreen(root), mediaMap });
  const drawn = still(withFlavour(screen, { Film }));
  const renderer = await act(async () => create(drawn));
  // Of styles that are merged the last one counts.
  const text = JSON.stringify(renderer.toJSON(), (key, value) => (key === 'style' ? StyleSheet.flatten(value) : value));
  await act(async () => renderer.unmount());
  return text;
}
const onWeb = (root: Layer): string =>
  renderToStaticMarkup(still(createElement(WebRenderer, { ...onScreen(root), mediaMap })));

/** The example with these properties in one of its styles, and without the one that is looked at. */
function styled(kind: string, style: string, property: string, values: Style): Layer {
  const root = exampleOf(kind);
  const layer = inside(root).find((inner) => inner.kind === kind && !('provider' in inner)) as Drawn;
  const { [property]: _, ...rest } = layer[style] ?? {};
  layer[style] = { ...rest, ...COMPANIONS[property], ...values };
  delete layer[`${style}Breakpoints`];
  // Words with a look of their own don't take that of the button around them.
  for (const inner of inside(layer)) if (inner !== layer && inner.kind === 'text') delete inner.style;
  return root;
}

/** How many layers of each kind are compared alone; all of them are within the stacks of their screens. */
const ALONE = 3;

/** Where boxes of this kind, alone on a screen, do not stand as on the web. */
async function misplaced(page: WebPage, kind: string): Promise<string[]> {
  const screens = examples.flatMap((flow) => flow.screens);
  const alike =
    kind === 'stack'
      ? screens.flatMap(({ regions }) =>
          [regions.header, regions.body, regions.footer].filter((root) => root !== undefined),
        )
      : screens
          .flatMap(allScreenLayers)
          .filter((layer) => layer.kind === (PARENTS[kind] ?? kind))
          .slice(0, ALONE);
  if (alike.length === 0) throw new Error(`no example has a layer of kind ${kind}`);
  const found: string[] = [];
  for (const layer of alike) {
    for (const locale of ['en', 'ar']) found.push(...(await differingBoxes(page, layer, locale)));
  }
  return found;
}

const known = (kind: string, property: string | null, reason: string | undefined): Row => ({
  kind,
  property,
  verdict: reason ? 'differs' : 'equal',
  ...(reason ? { reason } : {}),
});

async function rowsOf(page: WebPage, kind: string, styles: Map<string, string[]>): Promise<Row[]> {
  const layoutReason = DIFFERENCES[`${kind}.layout`];
  const elsewhere = await misplaced(page, kind);
  if (elsewhere.length > 0 && !layoutReason) throw new Error(`${kind} is laid out otherwise:\n${elsewhere.join('\n')}`);
  if (elsewhere.length === 0 && layoutReason) throw new Error(`${kind} is laid out alike by now`);
  const rows = [known(kind, null, DIFFERENCES[kind]), known(kind, 'layout', layoutReason)];
  for (const [style, names] of styles) {
    for (const name of names) {
      if (!(name in SAMPLES)) throw new Error(`${kind}.${style}.${name} has no sample`);
      const without = styled(kind, style, name, {});
      const withIt = styled(kind, style, name, { [name]: SAMPLES[name] });
      const web = onWeb(without) !== onWeb(withIt);
      const phone = (await onPhone(without)) !== (await onPhone(withIt));
      const property = `${style}.${name}`;
      // What shows nowhere is not a property of this kind, whatever the schema lets through.
      if ((!web && !phone) || SHOWS_NOWHERE.includes(`${kind}.${property}`)) continue;
      const why = DIFFERENCES[`${kind}.${name}`] ?? DIFFERENCES[`*.${name}`];
      const verdict = web && !phone ? 'unsupported' : why || !web ? 'differs' : 'equal';
      rows.push({ kind, property, verdict, ...(verdict === 'equal' ? {} : { reason: why ?? 'no reason is given' }) });
    }
  }
  return rows;
}

it('parity.json says where phones and the web go apart, with a reason for each', async () => {
  const rows: Row[] = [];
  const page = await WebPage.open();
  try {
    for (const [kind, styles] of stylesByKind()) rows.push(...(await rowsOf(page, kind, styles)));
  } finally {
    await page.close();
  }
  expect(new Set(rows.map(({ kind }) => kind)).size).toBe(31);
  expect(rows.filter(({ reason }) => reason === 'no reason is given')).toEqual([]);
  const used = new Set(
    rows.flatMap(({ kind, property }) => {
      const name = property?.split('.').at(-1);
      return name ? [`${kind}.${name}`, `*.${name}`] : [kind];
    }),
  );
  expect(Object.keys(DIFFERENCES).filter((key) => !used.has(key))).toEqual([]);
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  await expect(`{\n  "version": 1,\n  "rows": [\n${lines}\n  ]\n}\n`).toMatchFileSnapshot('../../../parity.json');
}, 600_000);
