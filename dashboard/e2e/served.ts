import { server } from './suite';

/** What the SDK is served for a flow, as JSON. */
export async function resolved(name: string): Promise<string> {
  type Environment = {
    publishableKeys: { nodes: { key: string }[] };
    channels: { nodes: { id: string; version: { flow: { name: string } } | null }[] };
  };
  const { app } = await server.ask<{ app: { environment: Environment } }>(
    `query ($app: ID!) { app(id: $app) { environment {
      publishableKeys { nodes { key } } channels { nodes { id version { flow { name } } } }
    } } }`,
    { app: server.apps[0]!.id },
  );
  const { publishableKeys, channels } = app.environment;
  const channel = channels.nodes.find(({ version }) => version?.flow.name === name)!;
  const answer = await fetch(`${server.baseUrl}/v1/sdk/resolve`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${publishableKeys.nodes[0]!.key}`,
      'X-Svc-Channel': channel.id,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ identity: { appUserId: 'device-1' } }),
  });
  return answer.text();
}
