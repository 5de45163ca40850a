import { Select } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { NeverLive } from '../../channels/NeverLive';
import type { Other } from './queries';
import styles from './Versions.module.css';

const versionsRoute = getRouteApi('/apps/$app/$environment/flows/$flow/versions');

type Props = {
  flow: { id: string; name: string };
  others: readonly Other[];
  /** The channel that is chosen. */
  channel: string | null;
  choose: (channel: string | null) => void;
};

/** Chooses a channel that does not serve the flow yet, and says by name what users of it get until now. */
export function OtherChannel({ flow, others, channel, choose }: Props) {
  const place = versionsRoute.useParams();
  const chosen = others.find(({ id }) => id === channel);
  if (others.length === 0)
    return (
      <p>
        The app has no other channel.{' '}
        <Link to="/apps/$app/$environment/channels" params={place} search={{}}>
          Create one
        </Link>
      </p>
    );
  const group = (name: string, of: string) => ({
    group: name,
    items: others
      .filter(({ kind }) => kind === of)
      .map(({ id, name, serves }) => ({ value: id, label: `${name} · ${serves ?? 'nothing yet'}` })),
  });
  return (
    <>
      <Select
        label="Set live on"
        placeholder="Choose a channel"
        searchable
        clearable
        value={channel}
        onChange={choose}
        data={[group('Live', 'LIVE'), group('Test', 'TEST')]}
      />
      {chosen && (
        <div className={styles.form}>
          <p>
            <b>{chosen.name}</b> serves {chosen.serves ?? 'nothing yet'}
            {chosen.serves && `. Users who open the app from now on get ${flow.name} instead`}.
          </p>
          <NeverLive flow={flow} channel={chosen} />
        </div>
      )}
    </>
  );
}
