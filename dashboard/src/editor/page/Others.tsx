import { initialsOf, useOthers } from '../others';
import styles from './Others.module.css';

/** How many people have a place in the bar; the rest is a number. */
const most = 4;

/** Who else has the flow open. */
export function Others() {
  const others = useOthers();
  if (others.length === 0) return null;
  const rest = others.slice(most).map(({ name }) => name);
  return (
    <ul className={styles.others} aria-label="Also here">
      {others.slice(0, most).map(({ client, name, color }) => (
        <li key={client} style={{ background: color }} title={name}>
          <span aria-hidden="true">{initialsOf(name)}</span>
          <span className="reader">{name}</span>
        </li>
      ))}
      {rest.length > 0 && (
        <li className={styles.rest} title={rest.join(', ')}>
          <span aria-hidden="true">+{rest.length}</span>
          <span className="reader">{rest.join(', ')}</span>
        </li>
      )}
    </ul>
  );
}
