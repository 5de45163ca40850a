import { commandOf } from '../explain/command';
import { pathsOf } from '../explain/part';
import type { Asked } from '../graphql/send';

type Operation = { query: string; variables: Record<string, unknown> };

/** The same request elsewhere, by a key of the workspace in SVC_API_KEY. */
export const snippets: Record<'curl' | 'CLI' | 'TypeScript', (operation: Operation, origin: string) => string> = {
  curl: (operation, origin) =>
    [
      `curl -s ${origin}/graphql`,
      "-H 'Content-Type: application/json'",
      '-H "Authorization: Bearer $SVC_API_KEY"',
      `-d ${shell(JSON.stringify(operation))}`,
    ].join(' \\\n  '),
  CLI: ({ query, variables }) =>
    commandsOf({ text: query, variables }).join('\n\n') ||
    '# The command line has no command for this: send it by curl.',
  TypeScript: (operation, origin) => `const response = await fetch('${origin}/graphql', {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Authorization: \`Bearer \${process.env.SVC_API_KEY}\`,
  },
  body: JSON.stringify({
    query: \`${operation.query.replace(/[`\\$]/g, '\\$&')}\`,
    variables: ${JSON.stringify(operation.variables, null, 2).replaceAll('\n', '\n    ')},
  }),
});
const { data, errors } = await response.json();
`,
};

/** The commands that print what an operation asks for, each once. */
function commandsOf(asked: Asked): string[] {
  const found = pathsOf(asked.text).flatMap((path) => commandOf(path, asked)?.line ?? []);
  return [...new Set(found)];
}

const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
