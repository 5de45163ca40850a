import { getRouteApi, Link } from '@tanstack/react-router';
import type { PageAddress } from '../../app/navigation/pages';
import styles from './HomePage.module.css';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** Leads to the page that has all of a card's rows. */
export function More({ to }: { to: PageAddress }) {
  return (
    <p className={styles.more} data-print="no">
      <Link to={to} params={homeRoute.useParams()} search={scopeOf(homeRoute.useSearch())}>
        View all
      </Link>
    </p>
  );
}
