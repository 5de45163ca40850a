import type { Layer } from '@svc/core';
import { walkLayers } from '@svc/core/internal';
import { MotionProvider } from '@svc/react-core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { LayerRenderer as WebRenderer } from '../../../react/src/renderer/layer-renderer';
import type { FilmProps } from '../../src/adapters/adapters';
import { LayerRenderer as NativeRenderer } from '../../src/renderer/layer-renderer';
import { withFlavour } from '../support/adapters';
import { manifest, screen } from '../support/manifests';
import { LATE, type Place, placesOnPhone, WIDTH } from './lay-out';
import { FAMILY, type WebPage } from './web-page';

/** How far a side may be away from where the web has it, px: phones round to whole ones. */
const TOLERANCE_PX = 1.5;
const SIDES = ['x', 'y', 'width', 'height'] as const;
/** Every picture and film is this large. */
const MEDIA_URL = 'https://cdn.example/300x150.png';
/** Kinds that have another padding on phones where their author gives none (manifest.md §7.1). */
const BUTTONS = ['button', 'back_button', 'oauth_provider', 'email_password_submit'];
const PADDING = { t: 10, b: 10, l: 14, r: 14 };

/** Drawn by the system in each browser. */
const SYSTEM = 'date_time_input';

/** A film that takes the room that it is given. */
const Film = ({ fit }: FilmProps) => createElement('Film', { fit });

const written = (place: Place | undefined) =>
  place ? SIDES.map((side) => `${side} ${Math.round(place[side] * 10) / 10}`).join(' ') : 'nowhere';

/** The layers in which a phone and a browser differ, each with its two places, when a screen holds this layer alone. */
export async function differingBoxes(page: WebPage, layer: Layer, locale: string): Promise<string[]> {
  const root = structuredClone(layer);
  const ids: string[] = [];
  const mediaMap: Record<string, string> = {};
  // Where the system's own field stands among others, its height moves them; it is compared alone.
  walkLayers(root, (inner) => {
    if (!('children' in inner)) return;
    Object.assign(inner, { children: inner.children?.filter(({ kind }) => kind !== SYSTEM) });
  });
  walkLayers(root, (inner) => {
    ids.push(inner.id);
    if (BUTTONS.includes(inner.kind)) Object.assign(inner, { style: { padding: PADDING, ...styleOf(inner) } });
  });
  for (const [, id] of JSON.stringify(root).matchAll(/"mediaAssetId":"([^"]+)"/g)) mediaMap[id as string] = MEDIA_URL;
  const beside: Layer = { id: 'lyr_beside', kind: 'stack', direction: 'vertical', children: [] };
  const drawn = screen('scr_a', [root, beside]);
  const flow = manifest([drawn], { locales: ['en', 'ar'], theme: { fontFamily: FAMILY } });
  const props = { manifest: flow, screen: drawn, mediaMap, locale };

  const web = createElement(WebRenderer, { ...props, previewWidthPx: WIDTH });
  const onWeb = await page.places(renderToStaticMarkup(createElement(MotionProvider, { timeMs: LATE }, web)));
  const native = withFlavour(createElement(NativeRenderer, props), { Film });
  const onPhone = await placesOnPhone(native, (host) => page.measureFor(host));
  return [...ids, beside.id].flatMap((id) => {
    const [there, here] = [onWeb[id], onPhone[id]];
    const far = (side: (typeof SIDES)[number]) => there && here && Math.abs(there[side] - here[side]) > TOLERANCE_PX;
    return Boolean(there) === Boolean(here) && !SIDES.some(far)
      ? []
      : [`${id} (${locale}): web ${written(there)}, phone ${written(here)}`];
  });
}

const styleOf = (layer: Layer) => (layer as { style?: object }).style;
