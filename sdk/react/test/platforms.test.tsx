// @vitest-environment jsdom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Branding, Layer, StepResponse } from '@svc/core';
import { afterEach, expect, it, vi } from 'vitest';
import { LayerRenderer } from '../src/index';
import { backgroundCss } from '../src/style/box-css';
import { type Mounted, mountUi } from './support/dom';
import { button, lastScreen, manifest, screen } from './support/manifests';

// What the service says of the web in its warnings about platforms is so. native/test/display/platforms.test.tsx draws
// the same layers on phones.
const verdicts = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../manifest/testdata/verdicts.json'), 'utf8'),
) as { cases: { name: string; patch: { value: Layer }[] }[] };
const layerOf = (name: string) => verdicts.cases.find((one) => one.name === `platforms: ${name}`)!.patch[0]!.value;

const loadAnimation = vi.hoisted(() =>
  vi.fn((_: object) => ({ addEventListener: () => undefined, destroy: () => undefined })),
);
vi.mock('lottie-web/build/player/esm/lottie_light.min.js', () => ({ default: { loadAnimation } }));

const PRESET = 'b0000000-0000-4000-8000-000000000001';
const branding: Branding = {
  colorPresets: [],
  gradientPresets: [
    {
      id: PRESET,
      name: 'Glow',
      type: 'radial',
      stops: [
        { offset: 0, color: '#ff0000' },
        { offset: 1, color: '#0000ff' },
      ],
    },
  ],
  fontFamilies: [],
};

let mounted: Mounted | undefined;
let responses: StepResponse[];
async function show(layer: Layer, mediaMap: Record<string, string> = {}): Promise<Mounted> {
  responses = [];
  const first = screen('scr_a', [layer], { next: { default: 'scr_b' } });
  mounted = await mountUi(
    <LayerRenderer
      manifest={manifest([first, lastScreen('scr_b')])}
      screen={first}
      branding={branding}
      mediaMap={mediaMap}
      onRespond={(response) => responses.push(response)}
    />,
  );
  return mounted;
}
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
  vi.unstubAllGlobals();
});

it('distorts an animation that fills', async () => {
  const layer = { ...layerOf('an animation that is distorted'), media: { mediaAssetId: PRESET } } as Layer;
  const ui = await show(layer, { [PRESET]: 'https://cdn.example/a.json' });
  await vi.waitFor(() => expect(loadAnimation).toHaveBeenCalled(), 10_000);
  expect(loadAnimation.mock.calls[0]?.[0]).toMatchObject({ rendererSettings: { preserveAspectRatio: 'none' } });
  await ui.pass();
});

it('draws all colors of a radial gradient', () => {
  const stops = branding.gradientPresets[0]!.stops;
  expect(backgroundCss({ kind: 'radial', stops })).toEqual({
    backgroundImage: 'radial-gradient(circle, #ff0000 0%, #0000ff 100%)',
  });
});

it.each(['a permission that browsers have none for', 'a permission that nothing asks for'])(
  'counts %s as denied',
  async (name) => {
    const requestPermission = vi.fn().mockResolvedValue('granted');
    vi.stubGlobal('Notification', { permission: 'default', requestPermission });
    const ui = await show(layerOf(name));
    await ui.click('[data-layer=lyr_x]');
    await ui.pass();
    expect(responses).toMatchObject([{ kind: 'permission_outcome', outcome: 'denied' }]);
    expect(requestPermission).not.toHaveBeenCalled();
  },
);

it('asks for notifications', async () => {
  vi.stubGlobal('Notification', { permission: 'default', requestPermission: async () => 'granted' });
  const ui = await show(layerOf('notifications are asked for everywhere'));
  await ui.click('[data-layer=lyr_x]');
  await ui.pass();
  expect(responses).toMatchObject([{ kind: 'permission_outcome', outcome: 'granted' }]);
});

it('leads on at once where a review is asked for', async () => {
  const ui = await show(button('lyr_x', { kind: 'request_app_review' }));
  await ui.click('[data-layer=lyr_x]');
  await ui.pass();
  expect(responses).toMatchObject([{ kind: 'app_review_outcome', outcome: 'not_shown' }]);
});
