import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { query, queryClient } from '../../graphql/query';
import { useAnybody } from '../../scope/Nobody';
import { kindOf, type Place } from '../../scope/scope';
import { Snippets } from '../../start/Snippets';
import { Waiting } from '../../ui/Waiting';
import styles from './HomePage.module.css';
import { firstEventDocument } from './queries';

/** What to put into an app so that its first event arrives. Once one has, the figures take its place by themselves. An
 * app that only was quiet for a while has had its first event. */
export function FirstEvent({ place, children }: { place: Place; children: ReactNode }) {
  const anybody = useAnybody(place);
  const answer = useQuery({
    ...query(firstEventDocument, place, () => ({ app: place.app, kind: kindOf(place.environment) })),
    refetchInterval: 2_000,
  });
  const app = answer.data?.data.app;
  const arrived = (app?.ingestHealth?.accepted ?? 0) > 0;
  // The figures of the page were asked for before it arrived.
  useEffect(() => {
    if (arrived) void queryClient.invalidateQueries({ queryKey: ['Home'] });
  }, [arrived]);
  const key = app?.environment.publishableKeys?.nodes[0]?.key;
  if (anybody || (answer.data ? (app?.ingestHealth?.accepted ?? 1) > 0 : answer.isError)) return children;
  if (anybody === undefined || !answer.data) return <Waiting height={320} />;
  return (
    <section className={styles.first} aria-live="polite">
      <h2>Waiting for the first event</h2>
      <p>This page shows your analytics as soon as the first event arrives.</p>
      <Snippets publishableKey={key} />
      <p>
        <Link to="/apps/$app/$environment/start" params={place}>
          Get started step by step
        </Link>
      </p>
    </section>
  );
}
