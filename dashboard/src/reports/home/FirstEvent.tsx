import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { kindOf, type Place } from '../../scope/scope';
import { Snippets } from '../../start/Snippets';
import styles from './HomePage.module.css';

const document = graphql<'FirstEvent'>(`
  query FirstEvent($app: ID!, $kind: EnvironmentKind!) {
    app(id: $app) {
      environment(kind: $kind) { publishableKeys(first: 1) { nodes { key } } }
      ingestHealth(environment: $kind) { accepted }
    }
  }`);

/** What to put into an app so that its first event arrives; it goes by itself when one has. */
export function FirstEvent({ place }: { place: Place }) {
  const answer = useQuery({
    ...query(document, place, () => ({ app: place.app, kind: kindOf(place.environment) })),
    refetchInterval: 2_000,
  });
  const app = answer.data?.data.app;
  const key = app?.environment.publishableKeys?.nodes[0]?.key;
  if (!app || (app.ingestHealth?.accepted ?? 0) > 0) return null;
  return (
    <section className={styles.first} aria-live="polite">
      <h2>Waiting for the first event</h2>
      <p>This page turns to figures a second after the first event arrives.</p>
      <Snippets publishableKey={key} />
      <p>
        <Link to="/apps/$app/$environment/start" params={place}>
          Set up step by step, up to the first flow
        </Link>
      </p>
    </section>
  );
}
