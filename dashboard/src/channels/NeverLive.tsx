import { useQuery } from '@tanstack/react-query';
import styles from './ChannelsPage.module.css';
import { historyQuery } from './queries';

type Named = { id: string; name: string };

/** Asks about a flow that a channel has never served: an app may expect a paywall where an onboarding comes. */
export function NeverLive({ flow, channel }: { flow: Named; channel: Named }) {
  const history = useQuery(historyQuery(channel.id)).data?.data.channel?.history.nodes;
  if (!history || history.some(({ version }) => version?.flow.id === flow.id)) return null;
  return (
    <p className={styles.check}>
      {flow.name} has never been live on {channel.name}. Make sure that the app expects it there.
    </p>
  );
}
