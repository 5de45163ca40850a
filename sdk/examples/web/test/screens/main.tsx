import type { FlowManifest, StoredResponses } from '@svc/core';
import { LayerRenderer } from '@svc/react';
import { createRoot } from 'react-dom/client';
import art from '../../../../../cmd/svc/demo/flows/art.json';
import templates from '../../../../../studio/templates/index.json';

const flows = import.meta.glob<FlowManifest>('../../../../../cmd/svc/demo/flows/*.json', { import: 'default' });
const pictures = import.meta.glob<string>('../../../../../cmd/svc/demo/flows/art/*.svg', {
  eager: true,
  import: 'default',
  query: '?url',
});

const made = import.meta.glob<FlowManifest>('../../../../../studio/templates/*/manifest.json', { import: 'default' });
const shown = import.meta.glob<string>(
  ['../../../../../studio/templates/*/*.svg', '../../../../../studio/templates/*/*.json', '!**/manifest.json'],
  { eager: true, import: 'default', query: '?url' },
);

/** The answers of a person who took the long way, for the screens that show them. */
const responses: StoredResponses = {
  goal: { kind: 'choice', choiceId: 'keep' },
  light: { kind: 'choice', choiceId: 'bright' },
  habit: { kind: 'choice', choiceId: 'often' },
  when: { kind: 'choice', choiceId: 'morning' },
  pets: { kind: 'multiChoice', choiceIds: ['cat'] },
  first_name: { kind: 'text', value: 'Ana', classification: 'sensitive' },
};

export interface Drawn {
  /** The name of a flow of the demo, or the id of a template. */
  flow: string;
  screen: string;
  locale: string;
  theme: 'light' | 'dark';
  /** Answers given before; those of the demo unless given. */
  answers?: StoredResponses;
}

declare global {
  interface Window {
    /** Draws one screen of a flow of the demo; true once its pictures and icons are there. */
    draw(wanted: Drawn): Promise<boolean>;
  }
}

const folder = '../../../../../cmd/svc/demo/flows';
const templatesFolder = '../../../../../studio/templates';
const mediaMap = Object.fromEntries([
  ...Object.entries(art).map(([id, file]) => [id, pictures[`${folder}/art/${file}`] ?? '']),
  ...templates.flatMap(({ id, files }) =>
    Object.entries(files).map(([asset, file]) => [asset, shown[`${templatesFolder}/${id}/${file}`] ?? '']),
  ),
]);
const box = document.getElementById('root') as HTMLElement;
const root = createRoot(box);
let visit = 0;

/** Prices, such as an app hands over. */
const samples = (flow: string): Record<string, string> =>
  (templates.find(({ id }) => id === flow) as { samples?: Record<string, string> } | undefined)?.samples ?? {};

const settled = (): boolean =>
  [...box.querySelectorAll('img')].every((image) => image.complete) &&
  [...box.querySelectorAll('svg')].every((icon) => icon.childElementCount > 0);

window.draw = async ({ flow, screen: id, locale, theme, answers = responses }) => {
  const manifest = await (flows[`${folder}/${flow}.json`] ?? made[`${templatesFolder}/${flow}/manifest.json`])?.();
  const screen = manifest?.screens.find((candidate) => candidate.id === id);
  if (!manifest || !screen) throw new Error(`there is no screen ${id} in ${flow}`);
  visit += 1;
  root.render(
    <LayerRenderer
      manifest={manifest}
      screen={screen}
      locale={locale}
      theme={theme}
      visit={visit}
      mediaMap={mediaMap}
      interpolationContext={{ responses: answers, customProperties: samples(flow), canGoBack: true }}
    />,
  );
  for (let frame = 0; frame < 300; frame += 1) {
    await new Promise(requestAnimationFrame);
    if (frame > 2 && settled()) return true;
  }
  return false;
};
