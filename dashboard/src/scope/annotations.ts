import { useQuery } from '@tanstack/react-query';
import type { Annotation } from '../charts/LineChart';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { ChartMarkKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { shareToken } from '../share/link';
import { kindOf, type Place, rangeOf, type ScopeSearch } from './scope';
import { useView } from './useView';

const document = graphql<'Annotations'>(`
  query Annotations($app: ID!, $environment: EnvironmentKind!, $range: RangeInput!) {
    app(id: $app) {
      chartMarks(environment: $environment, range: $range) { at kind name author { name email } }
      notes(environment: $environment, range: $range, first: 200) {
        nodes { id at text editable author { name email } }
      }
    }
  }`);

type App = NonNullable<DataOf<'Annotations'>['app']>;
export type Note = NonNullable<App['notes']>['nodes'][number];

/** The changes that people see in figures, in words. */
const words: Record<ChartMarkKind, string> = {
  FLOW_PUBLISHED: 'was published',
  CHANNEL_PINNED: 'changed its live version',
  CHANNEL_UNASSIGNED: 'was unassigned',
  EXPERIMENT_STARTED: 'started',
  EXPERIMENT_STOPPED: 'stopped',
  EXPERIMENT_ENDED: 'ended',
  EXPERIMENT_PROMOTED: 'was promoted',
  INGEST_REFUSED: 'had many rejected events',
};

/** Who wrote or did something, after it; nothing where that is not to be seen. */
const by = (author: { name: string; email: string } | null) => (author ? `, by ${author.name || author.email}` : '');

/** Marks of changes and notes by hand, each in words. */
export function annotationsOf({ app }: DataOf<'Annotations'>): Annotation[] {
  return [
    ...(app?.notes?.nodes ?? []).map(({ at, text, author }) => ({ at, text: `“${text}”${by(author)}` })),
    ...(app?.chartMarks ?? []).map(({ at, kind, name, author }) => ({
      at,
      text: `${name} ${words[kind]}${by(author)}`,
    })),
  ];
}

const annotationsOfAnswer = ({ data }: { data: DataOf<'Annotations'> }) => annotationsOf(data);

/** What stands on the charts of a range. */
export const annotationsQuery = (place: Place, search: ScopeSearch) => {
  const { range, from, to, zone } = search;
  return {
    ...query(document, [place, range, from, to, zone], () => {
      const { start, end } = rangeOf(search, new Date());
      return {
        app: place.app,
        environment: kindOf(place.environment),
        range: { start: start.toISOString(), end: end.toISOString() },
      };
    }),
    staleTime: 60_000,
  };
};

const none: readonly Annotation[] = [];

/** What to write on charts. */
export function useAnnotations(): readonly Annotation[] {
  const { place, search } = useView();
  const answer = useQuery({
    ...annotationsQuery(place, search),
    select: annotationsOfAnswer,
    enabled: !shareToken, // notes name members
  });
  return answer.data ?? none;
}

const createDocument = graphql<'CreateNote'>(`
  mutation CreateNote($input: CreateNoteInput!) { createNote(input: $input) { id } }`);
const updateDocument = graphql<'UpdateNote'>(`
  mutation UpdateNote($input: UpdateNoteInput!) { updateNote(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteNote'>(`
  mutation DeleteNote($input: DeleteNoteInput!) { deleteNote(input: $input) }`);

const changed = () => queryClient.invalidateQueries({ queryKey: ['Annotations'] });

/** Writes on the charts of an environment, at a time. */
export async function createNote(place: Place, at: string, text: string) {
  await send(createDocument, { input: { appId: place.app, environment: kindOf(place.environment), at, text } });
  await changed();
}

export async function updateNote(id: string, text: string) {
  await send(updateDocument, { input: { id, text } });
  await changed();
}

export async function deleteNote(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}
