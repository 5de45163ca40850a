import { formatExact, formatShort } from '../../../ui/format';
import { type StepShares, simulatedWords } from '../../simulation';
import styles from './Numbers.module.css';
import { dropRate, type StepNumbers } from './numbers';

/** A step whose drop-off is at least this stands out. */
const high = 0.1;

/** The numbers of a step, above it: they take no place from the steps, which stay where they are. */
export function StepFigures({ numbers, simulated }: { numbers: StepNumbers | undefined; simulated?: StepShares }) {
  const beside = simulated?.after !== undefined && (
    <span className={styles.simulated} title={simulatedWords(simulated)}>
      Simulated <b>{formatShort(simulated.after, 'share')}</b>
    </span>
  );
  if (numbers === 'new' || numbers === undefined)
    return (
      <div className={styles.figures}>
        {numbers === 'new' && <span className={styles.new}>New</span>}
        {beside}
      </div>
    );
  const { people, drop } = numbers;
  const rate = dropRate(numbers);
  return (
    <div className={styles.figures}>
      <span title={`${formatExact(people, 'count')} users reached it`}>
        <b>{formatShort(people, 'count')}</b> {people === 1 ? 'user' : 'users'}
      </span>
      {rate !== null && (
        <span data-high={rate >= high || undefined} title={`${formatExact(drop, 'count')} runs ended here`}>
          <b>{formatShort(rate, 'share')}</b> left
        </span>
      )}
      {beside}
    </div>
  );
}
