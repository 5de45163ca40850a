import './globals';
import type { FlowManifest } from '@svc/core';
import { allScreenLayers, walkLayers } from '@svc/core/internal';
import { MotionProvider } from '@svc/react-core';
import { act, createElement } from 'react';
import { create } from 'react-test-renderer';
import { LayerRenderer } from '../../src/renderer/layer-renderer';
import { withFlavour } from '../support/adapters';

// Every screen of an example that has all kinds of layers, drawn by the native renderer in both palettes and in a
// language that reads from right to left. What comes out has to be the same in every engine.

declare const print: (line: string) => void;
declare const EXAMPLE: FlowManifest;
declare const MEDIA: Record<string, string>;

/** By then everything has come to rest, ms. */
const LATE = 1_000_000;

/** A film that says how it was to be drawn. */
const Film = (props: object) => createElement('Film', props);

async function draw(): Promise<void> {
  const kinds = new Set<string>();
  const drawn: unknown[] = [];
  for (const screen of EXAMPLE.screens) {
    for (const props of [{ theme: 'light' }, { theme: 'dark', locale: 'ar' }] as const) {
      const view = createElement(LayerRenderer, { manifest: EXAMPLE, screen, mediaMap: MEDIA, ...props });
      const still = createElement(MotionProvider, { timeMs: LATE }, withFlavour(view, { Film }));
      const renderer = await act(async () => create(still));
      const tree = renderer.toJSON();
      drawn.push(tree);
      const written = JSON.stringify(tree);
      for (const layer of allScreenLayers(screen)) {
        // A conditional layer draws nothing but what is in it.
        walkLayers(layer, ({ id }) => {
          if (written.includes(`"testID":"${id}"`)) kinds.add(layer.kind);
        });
      }
      await act(async () => renderer.unmount());
    }
  }
  print(JSON.stringify({ kinds: [...kinds].sort(), drawn }));
}

draw().catch((error: Error) => print(`failed: ${error.stack ?? error.message}`));
