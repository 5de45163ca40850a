import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { may } from '../app/session/session';
import { localZone } from '../scope/calendar';
import { Card } from '../ui/Card';
import { Failure } from '../ui/Failure';
import { Decide } from './Decide';
import styles from './Experiments.module.css';
import { Extend } from './Extend';
import { GoalsOf } from './GoalsOf';
import { MetricTable } from './MetricTable';
import { metricNames, nameOfMetric } from './metrics';
import { PrimaryMetric } from './PrimaryMetric';
import { detailQuery, type ExperimentDetail, resultsQuery } from './queries';
import { Setup } from './Setup';
import { Verdict } from './Verdict';

const appRoute = getRouteApi('/apps/$app/$environment');
const experimentRoute = getRouteApi('/apps/$app/$environment/experiments/$experiment');

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
      {experiment && experiment.status !== 'DRAFT' && <Results id={id} detail={experiment} />}
    </>
  );
}

function Results({ id, detail }: { id: string; detail: ExperimentDetail }) {
  const { access } = appRoute.useRouteContext();
  const zone = localZone();
  const answer = useQuery(resultsQuery(id, zone));
  const { experiment, experimentResults } = answer.data?.data ?? {};
  const nameOf = (variant: string) => experiment?.variants.find(({ key }) => key === variant)?.name || variant;
  const planned = experimentResults?.peoplePerVariant ?? 0;
  const primary = experimentResults?.metrics.find(({ primary }) => primary);
  return (
    <div className={styles.cards}>
      <Card
        title="Verdict"
        answer={answer}
        part={({ experimentResults }) => experimentResults}
        path="experimentResults"
        waiting={{ height: 120 }}
      >
        {(results) => <Verdict results={results} experiment={experiment} nameOf={nameOf} />}
      </Card>
      <Card
        title={primary ? nameOfMetric(primary) : metricNames.COMPLETION}
        actions={<span className={styles.role}>Primary metric</span>}
        answer={answer}
        part={({ experimentResults }) => experimentResults?.metrics.find(({ primary }) => primary)}
        path="experimentResults.metrics"
        waiting={{ height: 400 }}
      >
        {(metric) => (
          <PrimaryMetric
            metric={metric}
            planned={planned}
            zone={zone}
            leader={experimentResults?.variant ?? null}
            nameOf={nameOf}
          />
        )}
      </Card>
      <Card
        title="Other metrics"
        answer={answer}
        actions={may(access, 'EXPERIMENT_MANAGE') && <GoalsOf key={id} experiment={detail} />}
        part={({ experimentResults }) => experimentResults?.metrics}
        path="experimentResults.metrics"
        waiting={{ rows: 6 }}
      >
        {(metrics) => <MetricTable metrics={metrics} planned={planned} nameOf={nameOf} />}
      </Card>
    </div>
  );
}
