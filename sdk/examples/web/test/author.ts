import { readFileSync } from 'node:fs';

const examples = new URL('../../../../manifest/examples/', import.meta.url);

interface Dev {
  graphqlUrl: string;
  admin: { email: string; password: string };
  apps: { id: string; environments: Record<string, { channels: { id: string; name: string; state: string }[] }> }[];
}

/** Speaks to the service as the dashboard does. */
async function signIn({ graphqlUrl, admin }: Dev) {
  let cookie = '';
  const ask = async <T>(query: string, variables: Record<string, unknown>): Promise<T> => {
    const response = await fetch(graphqlUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query, variables }),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const { data, errors } = (await response.json()) as {
      data: T;
      errors?: { message: string; extensions?: unknown }[];
    };
    if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
    return data;
  };
  await ask(
    'mutation ($email: String!, $password: String!) { signIn(input: {email: $email, password: $password}) { __typename } }',
    {
      ...admin,
    },
  );
  return ask;
}

/** The manifest of an example. Its layers have no media, which nobody uploaded, and its screens plain backgrounds. */
function manifestOf(example: string): unknown {
  return JSON.parse(readFileSync(new URL(`${example}.json`, examples), 'utf8'), (key, value) =>
    key === 'media' || (key.startsWith('backgroundFill') && value?.kind !== 'color') ? undefined : value,
  );
}

/** Publishes examples to channels of their own and adds these to what the page knows. */
export async function publishExamples(dev: Dev, wanted: Readonly<Record<string, string>>): Promise<void> {
  const ask = await signIn(dev);
  const [app] = dev.apps;
  if (!app) throw new Error('the demo has no app');
  for (const [name, example] of Object.entries(wanted)) {
    const { createFlow: flow } = await ask<{ createFlow: { id: string } }>(
      'mutation ($app: ID!, $name: String!, $manifest: JSON) { createFlow(input: {appId: $app, name: $name, manifest: $manifest}) { id } }',
      { app: app.id, name, manifest: manifestOf(example) },
    );
    const { publishFlow } = await ask<{ publishFlow: { version: { id: string } } }>(
      'mutation ($flow: ID!) { publishFlow(input: {id: $flow}) { version { id } } }',
      { flow: flow.id },
    );
    const { createChannel: channel } = await ask<{ createChannel: { id: string } }>(
      'mutation ($app: ID!, $name: String!) { createChannel(input: {appId: $app, environment: TEST, name: $name}) { id } }',
      { app: app.id, name },
    );
    await ask(
      'mutation ($id: ChannelID!, $version: ID!) { pinChannel(input: {id: $id, versionId: $version}) { __typename } }',
      {
        id: channel.id,
        version: publishFlow.version.id,
      },
    );
    app.environments.test?.channels.push({ id: channel.id, name, state: 'pinned' });
  }
}
