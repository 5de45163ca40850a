import { useComputedColorScheme } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';

import { type DataOf, graphql } from '../../graphql/graphql';
import { send } from '../../graphql/send';
import type { Shown } from '../../preview/shown';

const appRoute = getRouteApi('/apps/$app/$environment');

const document = graphql<'Look'>(`
  query Look($app: ID!, $workspace: ID!) {
    app(id: $app) { branding }
    workspace(id: $workspace) {
      media(includeArchived: true, first: 200) { nodes { id path } pageInfo { hasNextPage } }
    }
  }`);

const namedDocument = graphql<'NamedMedia'>(`
  query NamedMedia($workspace: ID!, $ids: [ID!]) {
    workspace(id: $workspace) { media(ids: $ids, includeArchived: true, first: 200) { nodes { id path } } }
  }`);

/** How many files are asked for at once. */
export const atOnce = 200;

const pathsOf = (nodes: readonly { id: string; path: string }[] | undefined) =>
  Object.fromEntries((nodes ?? []).map(({ id, path }) => [id, path]));

export const lookQuery = (app: string, workspace: string) =>
  queryOptions({
    queryKey: ['Look', app, workspace],
    queryFn: async ({ signal }) => {
      const { data }: { data: DataOf<'Look'> } = await send(document, { app, workspace }, signal);
      const media = data.workspace?.media;
      return {
        branding: data.app?.branding as unknown,
        mediaMap: pathsOf(media?.nodes),
        /** Whether the library has more files than these. */
        more: media?.pageInfo.hasNextPage ?? false,
      };
    },
    staleTime: 60_000,
  });

/** Addresses of files by their ids. */
export const namedQuery = (workspace: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['NamedMedia', workspace, ids],
    queryFn: async ({ signal }) => {
      const paths: Record<string, string> = {};
      for (let from = 0; from < ids.length; from += atOnce) {
        const some = ids.slice(from, from + atOnce);
        const { data }: { data: DataOf<'NamedMedia'> } = await send(namedDocument, { workspace, ids: some }, signal);
        Object.assign(paths, pathsOf(data.workspace?.media?.nodes));
      }
      return paths;
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

const uuids = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** Ids in a manifest that may be those of files: few others are UUIDs. */
export const mediaIn = (manifest: unknown): string[] => [...new Set(JSON.stringify(manifest)?.match(uuids))].sort();

type Look = { branding: unknown; mediaMap: Readonly<Record<string, string>> };

/** Adds those files of `ids` that are not among the first of the library. */
export function usePictures(look: Look | undefined, workspace: string, ids: readonly string[]): Look | undefined {
  const missing = look ? ids.filter((id) => !(id in look.mediaMap)) : [];
  const named = useQuery(namedQuery(workspace, missing)).data;
  return useMemo(() => look && { branding: look.branding, mediaMap: { ...look.mediaMap, ...named } }, [look, named]);
}

/** What a preview needs beside the manifest: pictures, branding and the reader's colors. */
export function useLook(manifest?: unknown): Omit<Shown, 'manifest' | 'screen'> | undefined {
  const { app, access } = appRoute.useRouteContext();
  const workspace = access.workspace.id;
  const { data } = useQuery(lookQuery(app.id, workspace));
  const ids = useMemo(() => (data?.more ? mediaIn(manifest) : []), [data, manifest]);
  const look = usePictures(data, workspace, ids);
  const theme = useComputedColorScheme('light');
  return useMemo(() => look && { ...look, theme }, [look, theme]);
}
