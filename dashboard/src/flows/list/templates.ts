import { queryOptions } from '@tanstack/react-query';
import index from '../../../../studio/templates/index.json';
import type { JsonObject } from '../../editor/document/operation';

/** A flow to begin with, as the server lists it. It is part of the build, so that it is shown without asking. */
export type Template = {
  id: string;
  name: string;
  category: string;
  description: string;
  appName: string;
  /** The screen that stands for it. */
  cover: string;
  /** What it sells. */
  products: readonly { key: string; name: string }[];
  /** Addresses of its pictures by asset id. */
  mediaMap: Readonly<Record<string, string>>;
};

const manifests = import.meta.glob<string>('../../../../studio/templates/*/manifest.json', {
  query: '?url',
  import: 'default',
  eager: true,
});
const files = import.meta.glob<string>(
  ['../../../../studio/templates/*/*.svg', '../../../../studio/templates/*/*.json', '!**/manifest.json'],
  { query: '?url', import: 'default', eager: true },
);

const folder = '../../../../studio/templates';

type Entry = Omit<Template, 'mediaMap'> & { files: Record<string, string>; samples?: Record<string, string> };
// Each entry has members of its own, which is more than the compiler needs to know.
const entries = index as readonly unknown[] as readonly Entry[];

export const templates: readonly Template[] = entries.map(({ files: own, samples: _, ...template }) => ({
  ...template,
  mediaMap: Object.fromEntries(
    Object.entries(own).map(([asset, file]) => [asset, files[`${folder}/${template.id}/${file}`]!]),
  ),
}));

const samplesOf = (id: string) => entries.find((entry) => entry.id === id)?.samples ?? {};

/** The manifest of a template, with prices such as an app hands over. */
export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: ['Template', id],
    queryFn: async ({ signal }) => {
      const text = await (await fetch(manifests[`${folder}/${id}/manifest.json`]!, { signal })).text();
      const samples = samplesOf(id);
      return JSON.parse(
        text.replace(/\{\{ custom\.(\w+)[^}]*\}\}/g, (token, key: string) => samples[key] ?? token),
      ) as JsonObject;
    },
    staleTime: Number.POSITIVE_INFINITY, // it is part of the build
  });
