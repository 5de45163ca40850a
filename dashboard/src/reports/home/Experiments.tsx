import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { statusWords } from '../../experiments/status';
import { localZone } from '../../scope/calendar';
import { Card } from '../../ui/Card';
import { formatTime } from '../../ui/format';
import styles from './HomePage.module.css';
import { More } from './More';
import { homeExperimentsQuery } from './queries';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** The newest experiments, with what they wait for. */
export function Experiments() {
  const place = homeRoute.useParams();
  const answer = useQuery(homeExperimentsQuery(place));
  const day = (at: string) => formatTime(at, localZone(), { dateStyle: 'medium' });
  return (
    <Card
      title="Experiments"
      answer={answer}
      part={({ app }) => app?.experiments}
      path="app.experiments"
      waiting={{ rows: 8 }}
      empty={({ totalCount }) =>
        totalCount > 0
          ? undefined
          : {
              title: 'No experiment yet',
              why: 'An experiment tells which version of a flow does better.',
              next: (
                <Link to="/apps/$app/$environment/experiments" params={place}>
                  Go to experiments
                </Link>
              ),
            }
      }
    >
      {({ nodes }) => (
        <>
          <ul className={styles.experiments}>
            {nodes.map(({ id, name, status, endsAt, stoppedAt, channel }) => (
              <li key={id}>
                <Link to="/apps/$app/$environment/experiments/$experiment" params={{ ...place, experiment: id }}>
                  {name}
                </Link>
                <small>{channel.name}</small>
                <span>{statusWords[status]}</span>
                <small>{stoppedAt ? `stopped ${day(stoppedAt)}` : endsAt ? `until ${day(endsAt)}` : ''}</small>
              </li>
            ))}
          </ul>
          <More to="/apps/$app/$environment/experiments" />
        </>
      )}
    </Card>
  );
}
