import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { may } from '../app/session/session';
import { localZone } from '../scope/calendar';
import { Card } from '../ui/Card';
import { formatTime } from '../ui/format';
import styles from './Experiments.module.css';
import { NewExperiment } from './NewExperiment';
import { experimentsQuery } from './queries';
import { statusWords } from './status';

const appRoute = getRouteApi('/apps/$app/$environment');
const experimentsRoute = getRouteApi('/apps/$app/$environment/experiments');

/** The experiments of an environment. */
export function ExperimentsPage() {
  const place = experimentsRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const editable = may(access, 'EXPERIMENT_MANAGE');
  const answer = useQuery(experimentsQuery(place));
  const day = (at: string | null) => (at ? formatTime(at, localZone(), { dateStyle: 'medium' }) : '');
  return (
    <>
      <h1 className={styles.title}>Experiments</h1>
      <Card
        title="Experiments"
        actions={editable && (answer.data?.data.app?.experiments?.totalCount ?? 0) > 0 && <NewExperiment />}
        answer={answer}
        part={({ app }) => app?.experiments}
        path="app.experiments"
        waiting={{ rows: 4 }}
        empty={({ totalCount }) =>
          totalCount > 0
            ? undefined
            : {
                title: 'No experiment yet',
                why: 'An experiment shows versions of a flow to different users of a channel, and tells which one does better.',
                next: editable ? <NewExperiment /> : <span>Ask an editor to create one.</span>,
              }
        }
      >
        {({ nodes }) => (
          <ul className={styles.rows}>
            {nodes.map(({ id, name, status, startedAt, endsAt, stoppedAt, channel, variants }) => (
              <li key={id}>
                <Link to="/apps/$app/$environment/experiments/$experiment" params={{ ...place, experiment: id }}>
                  {name}
                </Link>
                <span className={styles.status} data-status={status}>
                  {statusWords[status]}
                </span>
                <span>{channel.name}</span>
                <span>{variants.map(({ key }) => key).join(' / ')}</span>
                <span className={styles.when}>
                  {day(startedAt)} {startedAt && '–'} {day(stoppedAt ?? endsAt)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}
