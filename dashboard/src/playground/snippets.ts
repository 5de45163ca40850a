import { commandOf } from '../explain/command';

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
    [...query.matchAll(/(?<![$\w])(\w+)\s*[({\s]/g)]
      .map(([, field]) => commandOf(field!, { text: query, variables }))
      .filter((command, i, all) => command !== undefined && command !== 'svc' && all.indexOf(command) === i)
      .filter((command) => known.test(command!))
      .join('\n\n') || '# The command line has no command for this: send it by curl.',
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

/** Reports of sessions that have a command; a document names many fields that have none. */
const known =
  /^svc (people|analytics (?!product)|analytics product (attribution|demographic|engagement|events|overview|retention|screens|series|summary|technology|visitors|timeline))/;

const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
