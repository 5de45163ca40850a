/** How an app can talk to this server: its SDKs, and HTTP for what has none. */
export const sdks = [
  { value: 'react', label: 'React' },
  { value: 'expo', label: 'Expo' },
  { value: 'react-native', label: 'React Native' },
  { value: 'http', label: 'HTTP' },
] as const;

export type SDK = (typeof sdks)[number]['value'];

type Target = {
  /** Address of the server. */
  origin: string;
  publishableKey: string;
  /** The channel whose flow is shown; without one the snippet only connects the app. */
  channel?: string;
};

const install: Record<Exclude<SDK, 'http'>, string> = {
  react: 'npm install @svc/react',
  expo: 'npx expo install @svc/expo react-native-reanimated react-native-worklets',
  'react-native': 'npm install @svc/react-native react-native-reanimated react-native-worklets\nnpx pod-install',
};

/** The command that adds an SDK to an app; HTTP needs none. */
export const installCommand = (sdk: SDK): string | undefined => (sdk === 'http' ? undefined : install[sdk]);

/** Code that connects an app with this server, or a request that does the same. */
export function snippet(sdk: SDK, { origin, publishableKey, channel }: Target): string {
  if (sdk === 'http') {
    const [path, body] = channel
      ? ['resolve', { channelId: channel, appUserId: 'user-1' }]
      : ['analytics/events', { events: [{ eventId: 'first-event', name: 'app_opened', appUserId: 'user-1' }] }];
    return `curl ${origin}/v1/sdk/${path} \\
  -H 'Authorization: Bearer ${publishableKey}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
  }
  return `import { ${channel ? 'Flow, ' : ''}SvcProvider } from '@svc/${sdk}';

<SvcProvider
  config={{
    publishableKey: '${publishableKey}',
    apiBaseUrl: '${origin}',
  }}
>
  ${channel ? `<Flow channelId="${channel}" />` : '<App />'}
</SvcProvider>`;
}
