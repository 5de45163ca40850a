import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { may } from '../app/session/session';
import type { ExperimentVerdict } from '../graphql/schema.gen';
import { localZone } from '../scope/calendar';
import { Card } from '../ui/Card';
import { Failure } from '../ui/Failure';
import { formatExact } from '../ui/format';
import { Decide } from './Decide';
import styles from './Experiments.module.css';
import { Extend } from './Extend';
import { MetricTable } from './MetricTable';
import { detailQuery, resultsQuery } from './queries';
import { Setup } from './Setup';
import { splits } from './SplitBy';
import { VariantSegment } from './VariantSegment';

const appRoute = getRouteApi('/apps/$app/$environment');
const experimentRoute = getRouteApi('/apps/$app/$environment/experiments/$experiment');

const tones: Record<ExperimentVerdict, 'good' | 'bad' | 'open'> = {
  WINNING: 'good',
  LOSING: 'bad',
  UNDECIDED: 'open',
  TOO_EARLY: 'open',
  NONE: 'bad',
};

/** What an experiment says: its verdict, whether people were split as planned, and each variant beside the control. */
export function ExperimentPage() {
  const { experiment: id, ...place } = experimentRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const detail = useQuery(detailQuery(id));
  const experiment = detail.data?.data.experiment;
  const open = experiment?.status === 'RUNNING' || experiment?.status === 'PENDING_DECISION';
  return (
    <>
      <Link to="/apps/$app/$environment/experiments" params={place} className={styles.back}>
        All experiments
      </Link>
      <div className={styles.head}>
        <h1 className={styles.title}>{experiment?.name ?? 'Experiment'}</h1>
        {experiment && open && may(access, 'EXPERIMENT_MANAGE') && (
          <div className={styles.acts} data-print="no">
            <Extend experiment={experiment} />
            <Decide experiment={experiment} />
          </div>
        )}
      </div>
      {detail.isError && <Failure error={detail.error} retry={() => void detail.refetch()} />}
      {experiment?.status === 'DRAFT' && <Setup experiment={experiment} />}
      {experiment && experiment.status !== 'DRAFT' && <Results id={id} />}
    </>
  );
}

function Results({ id }: { id: string }) {
  const answer = useQuery(resultsQuery(id, localZone()));
  const experiment = answer.data?.data.experiment;
  const nameOf = (variant: string) => experiment?.variants.find(({ key }) => key === variant)?.name || variant;
  return (
    <div className={styles.cards}>
      <Card
        title="Verdict"
        answer={answer}
        part={({ experimentResults }) => experimentResults}
        path="experimentResults"
        waiting={{ height: 120 }}
      >
        {({
          verdict,
          sentence,
          daysLeft,
          peoplePerVariant,
          exposed,
          culprits,
          tooManyCrossed,
          crossed,
          unrecorded,
          notRendered,
        }) => (
          <>
            <p className={styles.verdict} data-tone={tones[verdict]}>
              {sentence}
            </p>
            <ul className={styles.notes}>
              {daysLeft !== null && (
                <li>
                  {daysLeft === 0
                    ? 'Every variant'
                    : `About ${daysLeft === 1 ? 'one more day' : `${daysLeft} more days`} until every variant`}{' '}
                  has the {formatExact(peoplePerVariant, 'count')} planned users.
                </li>
              )}
              {exposed.warning && (
                <li>
                  Sample ratio mismatch: users were not split as the weights say (p = {exposed.p.toPrecision(2)}), so
                  the results below cannot be trusted.
                  {culprits[0] && ` Largest mismatch: ${culprits[0].dimension} ${culprits[0].value || '(none)'}.`}
                </li>
              )}
              {notRendered && (
                <li>
                  Users were assigned as planned but did not all see their variant: a variant does not render somewhere.
                </li>
              )}
              {tooManyCrossed && (
                <li>{formatExact(crossed, 'count')} users were in several variants and are left out.</li>
              )}
              {unrecorded > 0 && (
                <li>
                  {formatExact(unrecorded, 'count')} devices are left out: their assignment was not recorded, so whose
                  they are is unknown.
                </li>
              )}
              {experiment && (
                <li>
                  {splits[experiment.splitBy].sentence} {splits[experiment.splitBy].meaning}
                </li>
              )}
            </ul>
            <dl className={styles.variants}>
              {exposed.people.map(({ variant, people }) => (
                <div key={variant}>
                  <dt>{nameOf(variant)}</dt>
                  <dd>
                    {formatExact(people, 'count')} users
                    {experiment && <VariantSegment experiment={experiment} variant={variant} />}
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Card>
      <Card
        title="Metrics"
        answer={answer}
        part={({ experimentResults }) => experimentResults?.metrics}
        path="experimentResults.metrics"
        waiting={{ height: 300 }}
      >
        {(metrics) => metrics.map((metric) => <MetricTable key={metric.metric} metric={metric} nameOf={nameOf} />)}
      </Card>
    </div>
  );
}
