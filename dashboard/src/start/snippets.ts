/** How an app can talk to this server: its SDKs, and HTTP for what has none. */
export const sdks = [
  { value: 'html', label: 'HTML' },
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

/** What npm installs each SDK from: its package on this server. */
export type Packages = readonly { readonly name: string; readonly url: string }[];

/** What an app needs beside an SDK, installed in the versions that fit the app. */
const companions: Partial<Record<SDK, string>> = {
  expo: 'npx expo install react-native-reanimated react-native-worklets',
  'react-native': 'npm install react-native-reanimated react-native-worklets\nnpx pod-install',
};

/** The commands that add an SDK to an app; none for HTML and HTTP, and none while the server offers no packages. */
export function installCommand(sdk: SDK, packages: Packages): string | undefined {
  const offered = packages.find(({ name }) => name === `@svc/${sdk}`);
  return offered && [`npm install ${offered.url}`, companions[sdk]].filter(Boolean).join('\n');
}

/** Code that connects an app with this server, or a request that does the same. */
export function snippet(sdk: SDK, { origin, publishableKey, channel }: Target): string {
  if (sdk === 'html') {
    const script = `<script defer src="${origin}/svc.js" data-key="${publishableKey}"></script>`;
    return channel
      ? `${script}\n<svc-flow channel="${channel}" style="display: block; height: 700px"></svc-flow>`
      : script;
  }
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
