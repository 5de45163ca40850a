import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { listen } from '../graphql/send';

let asked: Promise<GraphQLSchema> | undefined;

/** The schema of this server, asked once. */
export function readSchema(): Promise<GraphQLSchema> {
  asked ??= (async () => {
    for await (const { data } of listen({ query: getIntrospectionQuery() }, new AbortController().signal)) {
      return buildClientSchema(data as IntrospectionQuery);
    }
    throw new Error('the server did not say its schema');
  })();
  asked.catch(() => {
    asked = undefined; // the next time asks again
  });
  return asked;
}
