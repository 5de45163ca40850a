import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';

const document = graphql<'ChannelWatch'>(`
  query ChannelWatch($id: ChannelID!) {
    channelWatch(id: $id) {
      state sentence runs previousRuns plannedRuns endsAt leftAt returned
      version { number } previous { id number } metrics { metric previous current harm }
    }
  }`);

export type Watched = NonNullable<DataOf<'ChannelWatch'>['channelWatch']>;

export const watchQuery = (id: string) => query(document, id, () => ({ id }));

export const automaticReturnDocument = graphql<'SetAutomaticReturn'>(`
  mutation SetAutomaticReturn($id: ChannelID!, $on: Boolean!) {
    setAutomaticReturn(input: {id: $id, automaticReturn: $on}) { id automaticReturn }
  }`);
