import type { ExperimentVerdict } from '../graphql/schema.gen';
import { formatExact } from '../ui/format';
import type { Reported, Results } from './queries';
import styles from './Results.module.css';
import { splits } from './SplitBy';
import { VariantSegment } from './VariantSegment';

const tones: Record<ExperimentVerdict, 'good' | 'bad' | 'open'> = {
  WINNING: 'good',
  LOSING: 'bad',
  UNDECIDED: 'open',
  TOO_EARLY: 'open',
  NONE: 'bad',
};

type Props = { results: Results; experiment: Reported | null | undefined; nameOf: (variant: string) => string };

/** The verdict in one sentence, who is behind it, and what speaks against it. */
export function Verdict({ results, experiment, nameOf }: Props) {
  const { verdict, sentence, exposed } = results;
  return (
    <>
      <p className={styles.verdict} data-tone={tones[verdict]}>
        {sentence}
      </p>
      <Warnings results={results} />
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
      <p className={styles.beside}>
        {untilPlanned(results)}
        {experiment && `${splits[experiment.splitBy].sentence} ${splits[experiment.splitBy].meaning}`}
      </p>
    </>
  );
}

/** How long it takes until every variant has its planned users. */
function untilPlanned({ daysLeft, peoplePerVariant }: Results): string {
  if (daysLeft === null) return '';
  const who =
    daysLeft === 0 ? 'Every variant' : `About ${daysLeft} more day${daysLeft === 1 ? '' : 's'} until every variant`;
  return `${who} has the ${formatExact(peoplePerVariant, 'count')} planned users. `;
}

/** Of dimensions that the server writes as one word. */
const culpritNames: Record<string, string> = { appVersion: 'app version' };

/** Why the values may be wrong, or of fewer users than there were; nothing when nothing is known against them. */
function Warnings({ results }: { results: Results }) {
  const { exposed, culprits, notRendered, tooManyCrossed, crossed, unrecorded } = results;
  const worst =
    culprits[0] &&
    ` Largest mismatch: ${culpritNames[culprits[0].dimension] ?? culprits[0].dimension} ${culprits[0].value || '(none)'}.`;
  const warnings = [
    exposed.warning &&
      `Sample ratio mismatch: users were not split as the weights say (p = ${exposed.p.toPrecision(2)}), so the results below cannot be trusted.${worst ?? ''}`,
    notRendered &&
      'Users were assigned as planned but did not all see their variant: a variant does not render somewhere.',
    tooManyCrossed && `${formatExact(crossed, 'count')} users were in several variants and are left out.`,
    unrecorded > 0 &&
      `${formatExact(unrecorded, 'count')} devices are left out: their assignment was not recorded, so whose they are is unknown.`,
  ].filter((warning) => typeof warning === 'string');
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}
