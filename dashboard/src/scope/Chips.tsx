import { Icon } from '../ui/Icon';
import { dimensions, type Filtered, operators } from './filters';
import styles from './ScopeBar.module.css';
import { useValueNames } from './useGoals';
import { useView } from './useView';

/** The filters in force, each a sentence that one click takes back. */
export function Chips({ of }: { of?: Filtered }) {
  const view = useView();
  const { filters, setFilters } = of ?? view;
  const nameOf = useValueNames(filters);
  if (filters.length === 0) return null;
  return (
    <ul className={styles.chips} style={{ margin: 0, padding: 0, listStyle: 'none' }} aria-label="Filters">
      {filters.map((filter) => {
        const { dimension, operator, values } = filter;
        const words = values.map((value) => nameOf(dimension, value)).join(', ');
        return (
          <li key={dimension} className={styles.chip}>
            <span className={styles.words}>
              {dimensions[dimension].name} {operators[operator].words} <b>{words}</b>
            </span>
            <button
              type="button"
              aria-label={`Remove the filter ${dimensions[dimension].name} ${operators[operator].words} ${words}`}
              onClick={() => setFilters(filters.filter((other) => other !== filter))}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
