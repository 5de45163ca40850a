import { getRouteApi, Link } from '@tanstack/react-router';
import type { PageAddress } from '../../app/navigation/pages';
import { mayOpen } from '../../share/link';
import styles from './HomePage.module.css';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** Leads to the page that has all of a card's rows, where it can be opened. */
export function More({ to }: { to: PageAddress }) {
  const place = homeRoute.useParams();
  const search = scopeOf(homeRoute.useSearch());
  if (!mayOpen(to)) return null;
  return (
    <p className={styles.more} data-print="no">
      <Link to={to} params={place} search={search}>
        View all
      </Link>
    </p>
  );
}
