import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { countOf } from '../../ui/format';
import { type Experimenting, reachQuery, type Serving } from './queries';
import styles from './Versions.module.css';

type Props = {
  flow: string;
  serving: readonly Serving[];
  experiments: readonly Experimenting[];
  /** The channels that get the new version. */
  pinned: readonly string[];
  /** Sets those; undefined for who may not. */
  pin: ((channels: string[]) => void) | undefined;
};

/** Which channels and experiments show the flow, and to how many; which channels get the new version. */
export function Reach({ flow, serving, experiments, pinned, pin }: Props) {
  const { data } = useQuery(reachQuery(flow));
  const perDay = (channel: string) => {
    const { cohorts, timeseriesCohorts } = data?.data.flowAnalytics ?? {};
    if (!cohorts) return undefined;
    const days = timeseriesCohorts?.find(({ value }) => value === channel)?.points;
    return reachWords(
      cohorts.nodes.find(({ value }) => value === channel)?.starts ?? 0,
      days?.map(({ starts }) => starts),
    );
  };
  return (
    <section className={styles.form} aria-label="Reach">
      <p>
        Publishing creates a version; users get it when a channel is set to it.{' '}
        {serving.length > 0
          ? 'These channels keep their live version unless you change it:'
          : 'No channel serves this flow yet.'}
      </p>
      {pin ? (
        <Checkbox.Group value={[...pinned]} onChange={pin}>
          <div className={styles.form}>
            {serving.map(({ id, name, kind, number }) => (
              <Checkbox
                key={id}
                value={id}
                label={`${name}${kind === 'TEST' ? ' (test)' : ''} gets the new version instead of v${number}`}
                description={kind === 'TEST' ? undefined : perDay(id)}
              />
            ))}
          </div>
        </Checkbox.Group>
      ) : (
        <ul>
          {serving.map(({ id, name, kind, number }) => (
            <li key={id}>
              {name}
              {kind === 'TEST' ? ' (test)' : ''} serves v{number}
              {kind === 'TEST' ? '' : ` · ${perDay(id) ?? ''}`}
            </li>
          ))}
        </ul>
      )}
      {experiments.length > 0 && (
        <>
          <p>These experiments keep the versions of their variants:</p>
          <ul className={styles.authors}>
            {experiments.map(({ id, name, channel, numbers, live }) => (
              <li key={id}>
                {name} on {channel}
                {live ? '' : ' (test)'} shows {numbers.map((number) => `v${number}`).join(', ')}
                {live && perDay(live) && <small> · {perDay(live)}</small>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Says how many users came in seven days, and how many a day: whoever came on two days counts on both. */
export function reachWords(users: number, days: readonly number[] = []): string {
  if (users === 0) return 'No users in the last 7 days';
  const all = `${countOf(users, 'user')} in the last 7 days`;
  const whole = days.slice(0, -1); // today has not ended
  const daily = Math.round(whole.reduce((sum, one) => sum + one, 0) / Math.max(1, whole.length));
  return daily === 0 ? all : `About ${countOf(daily, 'user')} per day, ${all}`;
}
