import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  changedShares,
  gapWords,
  questionGaps,
  reachWords,
  simulatedWords,
  simulationQuery,
  unreachedSteps,
} from '../../editor/simulation';
import { kindOf } from '../../scope/scope';
import { countOf } from '../../ui/format';
import type { FlowDetail } from './queries';
import styles from './Versions.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

/** How many steps are listed. */
const most = 8;
/** How many steps that nobody reaches, and questions, are named. */
const mostGaps = 50;

/** Which steps more or fewer users would reach: recorded runs through the draft, beside the newest version. */
export function Simulated({ flow }: { flow: FlowDetail }) {
  const { environment } = appRoute.useParams();
  const latest = flow.versions.nodes[0];
  const { data } = useQuery({
    ...simulationQuery(flow.id, kindOf(environment), flow.draftRevision),
    enabled: latest !== undefined,
  });
  const simulation = data?.data.simulateDraft;
  if (!simulation || simulation.version === null || simulation.runs === 0) return null;
  const changed = changedShares(simulation);
  return (
    <section className={styles.since} aria-label="Simulated reach">
      <h3>Simulated reach</h3>
      <p>
        The last {countOf(simulation.runs, 'run')} of {countOf(simulation.users, 'user')}, replayed through v
        {simulation.version} and the draft.{' '}
        {simulation.draft.unknown > 0 &&
          `${countOf(simulation.draft.unknown, 'run')} stop in the draft where it is not known how they go on.`}
      </p>
      {changed.length === 0 ? (
        <p>Users reach the same steps.</p>
      ) : (
        <ul>
          {changed.slice(0, most).map((step) => (
            <li key={step.id}>
              {step.name || step.id}: {simulatedWords(step)}
            </li>
          ))}
          {changed.length > most && <li>and {countOf(changed.length - most, 'more step')}</li>}
        </ul>
      )}
      <Gaps
        title={(count) => `${countOf(count, 'step')} that no run reaches`}
        gaps={unreachedSteps(simulation).map(({ id, name, reach }) => [id, name || id, reachWords(reach)])}
      />
      <Gaps
        title={(count) => `${countOf(count, 'question')} without recorded answers`}
        gaps={questionGaps(simulation).map((gap) => [
          `${gap.stepId} ${gap.fieldKey}`,
          `${gap.fieldKey} on ${gap.step}`,
          gapWords(gap),
        ])}
      />
    </section>
  );
}

type GapsProps = {
  title: (count: number) => string;
  gaps: readonly (readonly [key: string, name: string, why: string])[];
};

/** What recorded runs say nothing of, by name; a long list is folded. */
function Gaps({ title, gaps }: GapsProps) {
  if (gaps.length === 0) return null;
  const words = title(gaps.length);
  return (
    <details open={gaps.length <= 3}>
      <summary>{words}</summary>
      <ul aria-label={words}>
        {gaps.slice(0, mostGaps).map(([key, name, why]) => (
          <li key={key}>
            <b>{name}</b>: {why}
          </li>
        ))}
        {gaps.length > mostGaps && <li>and {(gaps.length - mostGaps).toLocaleString()} more</li>}
      </ul>
    </details>
  );
}
