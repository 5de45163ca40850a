import { queryOptions } from '@tanstack/react-query';
import { type DataOf, graphql } from '../../graphql/graphql';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import type { Content } from '../document/components/marks';
import type { JsonObject } from '../document/operation';

const content = graphql<'ComponentContent'>(`
  fragment ComponentContent on ComponentRevision {
    revision tree slots { layerId name } overridable { layerId path }
  }`);

const listDocument = graphql<'Components'>(
  `query Components($app: ID!, $after: String) {
    app(id: $app) {
      components(first: 25, after: $after) {
        nodes { id name revision content { ...ComponentContent } } pageInfo { hasNextPage endCursor }
      }
    }
  }`,
  [content],
);

const revisionDocument = graphql<'ComponentAt'>(
  `query ComponentAt($id: ID!, $revision: Int!) {
    component(id: $id) { content(revision: $revision) { ...ComponentContent } }
  }`,
  [content],
);

const usesDocument = graphql<'ComponentUses'>(`
  query ComponentUses($id: ID!) { component(id: $id) { usedIn { flowId name instances } } }`);

const createDocument = graphql<'CreateComponent'>(`
  mutation CreateComponent($app: ID!, $name: String!, $content: ComponentContentInput!) {
    createComponent(input: {appId: $app, name: $name, content: $content}) { id revision }
  }`);

const updateDocument = graphql<'UpdateComponent'>(`
  mutation UpdateComponent($id: ID!, $name: String, $content: ComponentContentInput, $revision: Int) {
    updateComponent(input: {id: $id, name: $name, content: $content, revision: $revision}) { id revision }
  }`);

const deleteDocument = graphql<'DeleteComponent'>(`
  mutation DeleteComponent($id: ID!) { deleteComponent(input: {id: $id, detach: true}) }`);

/** How the step is called by which instances follow their components. */
export const followName = 'Update instances of components';

/** A component as it is now. */
export type Component = { id: string; name: string; content: Content };

const contentFrom = (read: DataOf<'ComponentContent'>): Content => ({ ...read, tree: read.tree as JsonObject });

async function readAll(app: string, signal: AbortSignal): Promise<Component[]> {
  const all: Component[] = [];
  for (let after: string | null = null; ; ) {
    const data: DataOf<'Components'> = (await send(listDocument, { app, after }, signal)).data;
    const page: NonNullable<DataOf<'Components'>['app']>['components'] = data.app?.components ?? null;
    for (const { id, name, content } of page?.nodes ?? [])
      if (content) all.push({ id, name, content: contentFrom(content) });
    if (!page?.pageInfo.hasNextPage) return all;
    after = page.pageInfo.endCursor;
  }
}

/** The components of an app, by name: 200 at most. */
export const componentsQuery = (app: string) =>
  queryOptions({
    queryKey: ['Components', app],
    queryFn: ({ signal }) => readAll(app, signal),
    staleTime: 30_000,
  });

/** What a component was at a revision; null when that is not kept. */
export const revisionQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ['ComponentAt', id, revision],
    queryFn: async ({ signal }) => {
      const found = (await send(revisionDocument, { id, revision }, signal)).data.component?.content;
      return found ? contentFrom(found) : null;
    },
    staleTime: Number.POSITIVE_INFINITY, // what was stays
  });

/** The flows whose drafts have instances of a component. */
export const usesQuery = (id: string) =>
  queryOptions({
    queryKey: ['ComponentUses', id],
    queryFn: async ({ signal }) => (await send(usesDocument, { id }, signal)).data.component?.usedIn ?? [],
    refetchOnMount: 'always',
  });

const input = ({ tree, slots, overridable }: Omit<Content, 'revision'>) => ({
  tree,
  slots: slots.map(({ layerId, name }) => ({ layerId, name })),
  overridable: overridable?.map(({ layerId, path }) => ({ layerId, path: [...path] })) ?? null,
});

const changed = (app: string) => queryClient.invalidateQueries(componentsQuery(app));

export async function createComponent(app: string, name: string, content: Omit<Content, 'revision'>) {
  const made = (await send(createDocument, { app, name, content: input(content) })).data.createComponent;
  await changed(app);
  return made;
}

/** Renames a component, or makes its next revision from that of the content. */
export async function updateComponent(
  app: string,
  id: string,
  { name, content }: { name?: string; content?: Content },
) {
  const variables = { id, name, ...(content && { content: input(content), revision: content.revision }) };
  const made = (await send(updateDocument, variables)).data.updateComponent;
  await changed(app);
  return made;
}

export async function deleteComponent(app: string, id: string) {
  await send(deleteDocument, { id });
  await changed(app);
}
