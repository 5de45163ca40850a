import { Link } from '@tanstack/react-router';
import type { Place } from '../../scope/scope';
import { FlowMenu } from '../transfer/FlowMenu';
import styles from './Versions.module.css';

/** The pages of one flow. */
export function FlowTabs({ place }: { place: Place & { flow: string } }) {
  return (
    <div className={styles.pages}>
      <nav className={styles.tabs} aria-label="Pages of the flow">
        <Link to="/apps/$app/$environment/flows" params={place} search={{}}>
          All flows
        </Link>
        <Link to="/apps/$app/$environment/flows/$flow" params={place} activeOptions={{ exact: true }}>
          Analytics
        </Link>
        <Link to="/apps/$app/$environment/flows/$flow/versions" params={place}>
          Screens and versions
        </Link>
        <Link to="/apps/$app/$environment/flows/$flow/edit" params={place} search={{}}>
          Edit
        </Link>
      </nav>
      <FlowMenu place={place} />
    </div>
  );
}
