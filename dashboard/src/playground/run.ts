import { parse } from 'graphql';
import { listen } from '../graphql/send';

/** What is wrong before anything is sent; undefined for nothing. */
export function mistakeIn(variables: string): string | undefined {
  try {
    const value: unknown = JSON.parse(variables || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Variables must be a JSON object.';
  } catch (error) {
    return `Variables are not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The operation of a document that runs: the one that the cursor's name says, else the first. */
export function operationOf(query: string): { name?: string; kind: string } {
  const definition = parse(query).definitions.find(({ kind }) => kind === 'OperationDefinition');
  if (definition?.kind !== 'OperationDefinition') throw new Error('There is no operation to run.');
  return { name: definition.name?.value, kind: definition.operation };
}

/** Runs a document and yields its answers as JSON: one, or those of a subscription as they come. */
export async function* run(query: string, variables: string, signal: AbortSignal): AsyncGenerator<string> {
  const { name } = operationOf(query);
  const operation = { query, variables: JSON.parse(variables || '{}') as unknown, operationName: name };
  for await (const answer of listen(operation, signal)) yield JSON.stringify(answer, null, 2);
}
