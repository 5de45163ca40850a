import { useComputedColorScheme } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';

import { type DataOf, graphql } from '../../graphql/graphql';
import { send } from '../../graphql/send';
import type { Shown } from '../../preview/shown';

const appRoute = getRouteApi('/apps/$app/$environment');

const document = graphql<'Look'>(`
  query Look($app: ID!, $workspace: ID!, $after: String) {
    app(id: $app) { branding }
    workspace(id: $workspace) {
      media(includeArchived: true, first: 200, after: $after) { nodes { id path } pageInfo { hasNextPage endCursor } }
    }
  }`);

/** Pages of the media library that are read: a workspace with more shows some pictures of previews not. */
const maxPages = 20;

async function readLook(app: string, workspace: string, signal: AbortSignal) {
  const mediaMap: Record<string, string> = {};
  let branding: unknown;
  let after: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const data: DataOf<'Look'> = (await send(document, { app, workspace, after }, signal)).data;
    branding = data.app?.branding;
    for (const { id, path } of data.workspace?.media?.nodes ?? []) mediaMap[id] = path;
    const info = data.workspace?.media?.pageInfo;
    if (!info?.hasNextPage) break;
    after = info.endCursor;
  }
  return { branding, mediaMap };
}

export const lookQuery = (app: string, workspace: string) =>
  queryOptions({
    queryKey: ['Look', app, workspace],
    queryFn: ({ signal }) => readLook(app, workspace, signal),
    staleTime: 60_000,
  });

/** What a preview needs beside the manifest: pictures, branding and the reader's colors. */
export function useLook(): Omit<Shown, 'manifest' | 'screen'> | undefined {
  const { app, access } = appRoute.useRouteContext();
  const { data } = useQuery(lookQuery(app.id, access.workspace.id));
  const theme = useComputedColorScheme('light');
  return useMemo(() => data && { ...data, theme }, [data, theme]);
}
