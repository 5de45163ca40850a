import type { SegmentRulesInput } from '../graphql/schema.gen';
import { filtersOfCross, toCross } from '../scope/filters';
import { Icon } from '../ui/Icon';
import styles from './Segments.module.css';
import { filterWords } from './words';

type Props = { rules: SegmentRulesInput; change: (rules: SegmentRulesInput) => void };

/** The filters of visits that a segment has, each of which can be taken away. */
export function RuleFilters({ rules, change }: Props) {
  const words = filterWords(rules);
  if (words.length === 0) return null;
  const { platform, cross, columns } = rules;
  const filters = filtersOfCross(cross);
  const without: SegmentRulesInput[] = [
    ...(platform ? [{ cross, columns }] : []),
    ...filters.map((filter) => ({ platform, cross: toCross(filters.filter((one) => one !== filter)), columns })),
    ...(columns ? [{ platform, cross }] : []),
  ];
  return (
    <div className={styles.part}>
      <h3>Visits where</h3>
      <ul className={styles.filters} aria-label="Filters of visits">
        {words.map((said, i) => (
          <li key={said}>
            {said}
            <button type="button" aria-label={`Remove: ${said}`} onClick={() => change(filled(without[i] ?? {}))}>
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const filled = (rules: SegmentRulesInput): SegmentRulesInput =>
  Object.fromEntries(Object.entries(rules).filter(([, value]) => value != null));
