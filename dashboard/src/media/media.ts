import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../app/routes';
import { type DataOf, graphql } from '../graphql/graphql';
import { queryClient } from '../graphql/query';
import { send, sendFile } from '../graphql/send';
import { names, replaceAsset, typeOf } from './files';

const document = graphql<'Media'>(`
  query Media($workspace: ID!, $after: String) {
    workspace(id: $workspace) { media(first: 60, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { id name type path contentType sizeBytes createdAt }
    } }
  }`);

type Page = NonNullable<NonNullable<DataOf<'Media'>['workspace']>['media']>;
export type Asset = Page['nodes'][number];

/** The library, the newest first. */
export const mediaQuery = (workspace: string) =>
  infiniteQueryOptions({
    queryKey: ['Media', workspace],
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await send(document, { workspace, after: pageParam }, signal);
      return data.workspace!.media!;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  });

export const mediaChanged = () => queryClient.invalidateQueries({ queryKey: ['Media'] });

const uploadDocument = graphql<'UploadMedia'>(`
  mutation UploadMedia($workspace: ID!, $type: MediaType!, $file: Upload!) {
    uploadMedia(input: {workspaceId: $workspace, type: $type, file: $file}) { id name path }
  }`);

/** Stores a file whose name tells what it is. The same content again is the same asset. */
export async function upload(workspace: string, file: File): Promise<{ id: string; name: string; path: string }> {
  const type = typeOf(file.name) ?? 'IMAGE';
  const { data } = await sendFile(uploadDocument, { workspace, type }, file);
  return data.uploadMedia;
}

export const renameDocument = graphql<'RenameMedia'>(`
  mutation RenameMedia($id: ID!, $name: String!) { renameMedia(input: {id: $id, name: $name}) { id } }`);

export const archiveDocument = graphql<'ArchiveMedia'>(`
  mutation ArchiveMedia($id: ID!) { archiveMedia(input: {id: $id}) { id } }`);

const usesDocument = graphql<'MediaUses'>(`
  query MediaUses($app: ID!, $after: String) {
    app(id: $app) {
      branding
      flows(first: 8, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id name draft draftRevision versions(first: 1) { nodes { number manifest } } }
      }
    }
  }`);

export type Uses = {
  branding: boolean;
  flows: { id: string; name: string; draft: boolean; version: number | null }[];
};

type UsesPage = NonNullable<DataOf<'MediaUses'>['app']>;
type UsingFlow = NonNullable<UsesPage['flows']>['nodes'][number];

/** All flows of an app and its branding, page by page. */
async function* flowsOf(app: string): AsyncGenerator<{ branding: unknown; flow?: UsingFlow }> {
  for (let after: string | null = null, more = true; more; ) {
    const { data }: { data: DataOf<'MediaUses'> } = await send(usesDocument, { app, after });
    if (after === null) yield { branding: data.app?.branding };
    for (const flow of data.app?.flows?.nodes ?? []) yield { branding: undefined, flow };
    more = data.app?.flows?.pageInfo.hasNextPage ?? false;
    after = data.app?.flows?.pageInfo.endCursor ?? null;
  }
}

/** Where an app names an asset: its branding, drafts of flows and the newest version of each. */
async function findUses(app: string, asset: string): Promise<Uses> {
  const uses: Uses = { branding: false, flows: [] };
  for await (const { branding, flow } of flowsOf(app)) {
    if (!flow) {
      uses.branding = names(branding, asset);
      continue;
    }
    const version = flow.versions.nodes[0];
    const draft = names(flow.draft, asset);
    const published = version && names(version.manifest, asset) ? version.number : null;
    if (draft || published !== null) uses.flows.push({ id: flow.id, name: flow.name, draft, version: published });
  }
  return uses;
}

export const usesQuery = (app: string, asset: string) =>
  queryOptions({ queryKey: ['MediaUses', app, asset], queryFn: () => findUses(app, asset) });

const saveDocument = graphql<'ReplaceInDraft'>(`
  mutation ReplaceInDraft($flow: ID!, $revision: Int!, $draft: JSON!) {
    saveDraft(input: {flowId: $flow, revision: $revision, draft: $draft}) { flow { draftRevision } }
  }`);

/** Puts another asset into every draft of an app that names one; versions that are published stay. Answers how many. */
export async function replaceInDrafts(app: string, from: string, to: string): Promise<number> {
  let changed = 0;
  for await (const { flow } of flowsOf(app)) {
    if (!flow || !names(flow.draft, from)) continue;
    await send(saveDocument, {
      flow: flow.id,
      revision: flow.draftRevision,
      draft: replaceAsset(flow.draft, from, to),
    });
    changed++;
  }
  return changed;
}

export const mediaRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'media',
  validateSearch: v.object({
    type: v.optional(v.fallback(v.optional(v.picklist(['image', 'lottie', 'video', 'font'])), undefined)),
    /** The file that is open. */
    file: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined)),
  }),
  component: lazyRouteComponent(() => import('./MediaPage'), 'MediaPage'),
});
