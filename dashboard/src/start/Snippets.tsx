import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyBlock } from '../ui/CopyBlock';
import { SegmentedControl } from '../ui/SegmentedControl';
import { packagesQuery } from './queries';
import styles from './Snippets.module.css';
import { installCommand, type SDK, sdks, snippet } from './snippets';

/** How an app connects with this server, for each SDK; with a channel, how it shows that channel's flow. */
export function Snippets({ publishableKey, channel }: { publishableKey: string | undefined; channel?: string }) {
  const [sdk, setSDK] = useState<SDK>('react');
  const packages = useQuery(packagesQuery).data?.data.sdkPackages;
  const command = packages && installCommand(sdk, packages);
  return (
    <div className={styles.snippets}>
      <SegmentedControl
        size="xs"
        aria-label="SDK"
        value={sdk}
        onChange={(value) => setSDK(value as SDK)}
        data={[...sdks]}
      />
      {command && !channel && <CopyBlock text={command} name="Command that installs the SDK" />}
      {packages?.length === 0 && sdk !== 'http' && (
        <p>
          This server was built without the SDK packages. Whoever runs it adds them with <code>make packages</code>.
        </p>
      )}
      <CopyBlock
        text={snippet(sdk, { origin: location.origin, publishableKey: publishableKey ?? '…', channel })}
        name={`${sdk === 'http' ? 'Request' : 'Code'} that ${channel ? 'shows the flow' : 'connects the app'}`}
      />
    </div>
  );
}
