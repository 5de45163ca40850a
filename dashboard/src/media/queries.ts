import { infiniteQueryOptions } from '@tanstack/react-query';
import { brandingChanged, brandingQuery, saveDocument as saveBranding } from '../branding/queries';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
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
  query MediaUses($asset: ID!, $app: ID!) {
    app(id: $app) { mediaUses(assetId: $asset) { branding flows { flowId name draft version } } }
  }`);

export type Uses = NonNullable<NonNullable<DataOf<'MediaUses'>['app']>['mediaUses']>;

/** Where an app names an asset, as the server finds it. */
export const usesQuery = (app: string, asset: string) => query(usesDocument, [app, asset], () => ({ app, asset }));

const draftDocument = graphql<'DraftToReplaceIn'>(`
  query DraftToReplaceIn($flow: ID!) { flow(id: $flow) { draft draftRevision } }`);

const saveDocument = graphql<'ReplaceInDraft'>(`
  mutation ReplaceInDraft($flow: ID!, $revision: Int!, $draft: JSON!) {
    saveDraft(input: {flowId: $flow, revision: $revision, draft: $draft}) { flow { draftRevision } }
  }`);

/** Puts another asset into every draft that names one, of the flows that use it; versions that are published stay.
 * Answers how many. */
export async function replaceInDrafts(flows: Uses['flows'], from: string, to: string): Promise<number> {
  let changed = 0;
  for (const { flowId, draft } of flows) {
    if (!draft) continue;
    const { flow } = (await send(draftDocument, { flow: flowId })).data;
    if (!flow || !names(flow.draft, from)) continue;
    await send(saveDocument, {
      flow: flowId,
      revision: flow.draftRevision,
      draft: replaceAsset(flow.draft, from, to),
    });
    changed++;
  }
  return changed;
}

/** Puts another asset into the branding of an app. */
export async function replaceInBranding(app: string, from: string, to: string): Promise<void> {
  const { data } = await queryClient.fetchQuery({ ...brandingQuery(app), staleTime: 0 });
  await send(saveBranding, { app, branding: replaceAsset(data.app!.branding, from, to) });
  await brandingChanged();
}
