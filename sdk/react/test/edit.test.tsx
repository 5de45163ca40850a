// @vitest-environment jsdom
import type { Layer } from '@svc/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EditScreen, type EditScreenProps, type LayerError } from '../src/edit';
import { type Mounted, mountUi } from './support/dom';
import { button, exampleManifest, lastScreen, manifest, screen, text } from './support/manifests';

let mounted: Mounted | undefined;
let errors: LayerError[];

const stack = (id: string, children: Layer[]): Extract<Layer, { kind: 'stack' }> => ({
  id,
  kind: 'stack',
  direction: 'vertical',
  children,
});

async function show(layers: Layer[], props: Partial<EditScreenProps> = {}): Promise<Mounted> {
  const flow = manifest([screen('scr_a', layers, { next: { default: 'scr_b' } }), lastScreen('scr_b')]);
  mounted = await mountUi(
    <EditScreen
      manifest={flow}
      screen={flow.screens[0]!}
      width={390}
      onLayerError={(error) => errors.push(error)}
      {...props}
    />,
  );
  return mounted;
}
const find = (id: string) => mounted!.box.querySelector<HTMLElement>(`[data-layer=${id}]`);

beforeEach(() => {
  errors = [];
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // React tells of what a boundary caught
});
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
  vi.restoreAllMocks();
});

const choice: Layer = {
  id: 'lyr_c',
  kind: 'single_choice',
  fieldKey: 'pick',
  branching: { enabled: false, conditions: [] },
  optionBindings: [
    { optionId: 'a', rootLayerId: 'lyr_a' },
    { optionId: 'b', rootLayerId: 'lyr_b' },
  ],
  children: [stack('lyr_a', [text('lyr_at', 'A')]), stack('lyr_b', [text('lyr_bt', 'B')])],
};

it('an unfinished layer leaves a gap that can be selected; what stands beside it shows', async () => {
  const { optionBindings: _, ...unfinished } = choice as Extract<Layer, { kind: 'single_choice' }>;
  await show([text('lyr_t', 'Title'), unfinished as Layer, text('lyr_u', 'Below')]);
  expect(mounted!.text()).toContain('Title');
  expect(mounted!.text()).toContain('Below');
  expect(find('lyr_c')).not.toBeNull();
  expect(new Set(errors.map(({ screenId, layerId }) => `${screenId} ${layerId}`))).toEqual(new Set(['scr_a lyr_c']));
});

it('a finished layer takes the place of the gap', async () => {
  const { optionBindings, ...unfinished } = choice as Extract<Layer, { kind: 'single_choice' }>;
  const flow = (layer: Layer) => manifest([screen('scr_a', [layer]), lastScreen('scr_b')]);
  await show([unfinished as Layer]);
  expect(mounted!.text()).not.toContain('B');
  const next = flow({ ...unfinished, optionBindings } as Layer);
  await mounted!.rerender(<EditScreen manifest={next} screen={next.screens[0]!} width={390} />);
  expect(mounted!.text()).toContain('B');
});

it('a screen without its regions is told as a whole', async () => {
  const flow = manifest([{ id: 'scr_a', name: 'A', next: { default: null } } as never]);
  await show([], { manifest: flow, screen: flow.screens[0]! });
  expect(new Set(errors.map(({ layerId }) => layerId))).toEqual(new Set([null]));
});

it('states are forced, and read anew when a default changes', async () => {
  await show([choice, button('lyr_go', { kind: 'continue' })]);
  const chosen = () => [...mounted!.box.querySelectorAll('[aria-checked=true]')].map((one) => one.textContent);
  expect(chosen()).toEqual([]);
  const flow = manifest([
    screen('scr_a', [{ ...choice, defaultOptionId: 'b' } as Layer, button('lyr_go', { kind: 'continue' })]),
  ]);
  const props = { manifest: flow, screen: flow.screens[0]!, width: 390 };
  await mounted!.rerender(<EditScreen {...props} />);
  expect(chosen()).toEqual(['B']);
  await mounted!.rerender(<EditScreen {...props} forced={{ input: { kind: 'choice', choiceId: 'a' } }} />);
  expect(chosen()).toEqual(['A']);
  expect(find('lyr_go')!.getAttribute('aria-disabled')).toBeNull();
  await mounted!.rerender(<EditScreen {...props} forced={{ ready: false, busyLayerId: 'lyr_go' }} />);
  expect(find('lyr_go')!.getAttribute('aria-disabled')).toBe('true');
  expect(find('lyr_go')!.getAttribute('aria-busy')).toBe('true');
});

it('a conditional shows the branch that it is told, at any depth', async () => {
  const conditional = (id: string, inside: Layer[]): Layer => ({
    id,
    kind: 'conditional',
    cases: [{ id: 'case', expression: { kind: 'empty' }, rootLayerId: `${id}_if` }],
    elseRootLayerId: `${id}_else`,
    children: [stack(`${id}_if`, inside), stack(`${id}_else`, [text(`${id}_t`, 'otherwise')])],
  });
  const layers = [conditional('lyr_x', [conditional('lyr_y', [text('lyr_deep', 'deep')])])];
  await show(layers);
  expect(mounted!.text()).toBe('otherwise');
  await mounted!.unmount();
  await show(layers, { branches: { lyr_x: 'lyr_x_if', lyr_y: 'lyr_y_if' } });
  expect(mounted!.text()).toBe('deep');
});

it('hidden layers are left out', async () => {
  await show([text('lyr_t', 'Title'), text('lyr_u', 'Below')], { hidden: new Set(['lyr_t']) });
  expect(mounted!.text()).toBe('Below');
});

it('every layer of every kind has an element with its id, but for conditionals', async () => {
  const flow = exampleManifest('all-layers');
  const missing: string[] = [];
  for (const one of flow.screens) {
    mounted = await mountUi(
      <EditScreen manifest={flow} screen={one} width={390} onLayerError={(error) => errors.push(error)} />,
    );
    JSON.stringify(one.regions, (_, value) => {
      if (typeof value?.kind === 'string' && /^lyr_/.test(value.id) && !find(value.id)) missing.push(value.kind);
      return value?.kind === 'conditional' ? { ...value, children: [] } : value; // one branch alone shows
    });
    await mounted.unmount();
  }
  mounted = undefined;
  expect(errors).toEqual([]);
  expect(new Set(missing)).toEqual(new Set(['conditional']));
});
