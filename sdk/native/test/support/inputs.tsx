import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowManifest, Layer, Screen, StackLayer, StepResponse } from '@svc/core';
import { MotionProvider } from '@svc/react-core';
import { act, render } from '@testing-library/react-native';
import type { ReactElement } from 'react';
import { LayerRenderer, type LayerRendererProps } from '../../src/renderer/layer-renderer';

/** The example with every kind of layer, which the Go validator, the core and the web SDK are tested on as well. */
export function allLayers(): FlowManifest {
  const file = join(__dirname, '../../../../manifest/examples/all-layers.json');
  return JSON.parse(readFileSync(file, 'utf8')) as FlowManifest;
}

/** A screen whose body holds these layers, and a flow around it. */
export function flowOf(layers: Layer[]): { manifest: FlowManifest; screen: Screen } {
  const body: StackLayer = { id: 'lyr_body', kind: 'stack', direction: 'vertical', children: layers };
  const screen: Screen = { id: 'scr_a', name: 'a', regions: { body }, next: { default: null } };
  const manifest: FlowManifest = {
    flowId: 'a0000000-0000-4000-8000-0000000000ff',
    schemaVersion: 7,
    version: 1,
    defaultLocale: 'en',
    locales: ['en', 'de', 'ar'],
    entryScreenId: 'scr_a',
    screens: [screen],
  };
  return { manifest, screen };
}

export function text(id: string, words: string): Extract<Layer, { kind: 'text' }> {
  return { id, kind: 'text', text: { default: words } };
}

export function option(id: string): StackLayer {
  return { id: `lyr_${id}`, kind: 'stack', direction: 'horizontal', children: [text(`lyr_${id}_t`, `Option ${id}`)] };
}

/** The button that submits the screen. */
export const GO: Layer = {
  id: 'lyr_go',
  kind: 'button',
  variant: 'primary',
  action: { kind: 'continue' },
  children: [text('lyr_go_t', 'Continue')],
};

type Extra = Partial<LayerRendererProps> & { around?: (screen: ReactElement) => ReactElement; reduced?: boolean };

/** Draws one screen and collects what it answers. */
export async function showScreen(
  manifest: FlowManifest,
  screen: Screen,
  extra: Extra = {},
): Promise<{ responses: StepResponse[] }> {
  const { around = (drawn) => drawn, reduced = true, ...props } = extra;
  const responses: StepResponse[] = [];
  render(
    <MotionProvider reduced={reduced}>
      {around(
        <LayerRenderer
          manifest={manifest}
          screen={screen}
          onRespond={(response) => responses.push(response)}
          {...props}
        />,
      )}
    </MotionProvider>,
  );
  // What the screen asks the system about is answered a little later.
  await act(async () => undefined);
  return { responses };
}

/** Draws a screen with these layers. */
export function showLayers(layers: Layer[], extra: Extra = {}): Promise<{ responses: StepResponse[] }> {
  const { manifest, screen } = flowOf(layers);
  return showScreen(manifest, screen, extra);
}
