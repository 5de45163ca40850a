import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import index from '../../../../studio/templates/index.json';
import { readBrand } from '../../branding/brand';
import type { JsonObject } from '../../editor/document/operation';
import { useLook } from '../preview/look';
import { branded, recolored, type TemplateBrand, templateBrandOf } from './templateBrand';

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

/** A template as it is shown: with prices such as an app hands over, and as a brand makes it look. */
const templateQuery = ({ id, mediaMap }: Template, brand: TemplateBrand | undefined) =>
  queryOptions({
    queryKey: ['Template', id, brand],
    queryFn: async ({ signal }) => {
      const read = async (address: string) => (await fetch(address, { signal })).text();
      const samples = samplesOf(id);
      const text = await read(manifests[`${folder}/${id}/manifest.json`]!);
      const flow = JSON.parse(
        text.replace(/\{\{ custom\.(\w+)[^}]*\}\}/g, (token, key: string) => samples[key] ?? token),
      ) as JsonObject;
      const drawn = Object.entries(mediaMap).map(async ([asset, address]) => {
        if (!address.endsWith('.svg')) return [asset, address] as const;
        const drawing = recolored(await read(address), flow, brand!);
        return [asset, `data:image/svg+xml,${encodeURIComponent(drawing)}`] as const;
      });
      return { flow: branded(flow, brand!), mediaMap: Object.fromEntries(await Promise.all(drawn)) };
    },
    staleTime: Number.POSITIVE_INFINITY, // it is part of the build
    enabled: brand !== undefined,
  });

/** What is drawn of a template in the brand of the app; undefined until it is known, and while it is not asked for. */
export function useTemplate(template: Template, enabled = true) {
  const look = useLook();
  const brand = useMemo(() => look && templateBrandOf(readBrand(look.branding)), [look]);
  const { data } = useQuery(templateQuery(template, enabled ? brand : undefined));
  return useMemo(
    () => data && look && { ...data, mediaMap: { ...look.mediaMap, ...data.mediaMap }, branding: look.branding },
    [data, look],
  );
}
