import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useKeys } from '../app/keys';
import { Connection } from '../app/shell/Connection';
import { filterFacts } from '../scope/filterFacts';
import { goalName } from '../scope/goals';
import { useScopeActs } from '../scope/scopeActs';
import { useView } from '../scope/useView';
import { valueName } from '../scope/valueName';
import { embed } from './link';
import { reports, type SharedView, sharedViewQuery } from './queries';
import styles from './ReaderShell.module.css';

/** What stands around the reports of a shared link: their names, what they are limited to, and nothing of the dashboard. */
export function ReaderShell() {
  const view = useQuery(sharedViewQuery).data?.data.sharedView;
  useKeys();
  useScopeActs();
  useEffect(() => {
    if (embed.background) document.body.style.background = embed.background;
  }, []);
  if (!view) return null;
  return (
    <div ref={tellHeight} className={styles.shell} data-embed={embed.on || undefined} data-bare={embed.background}>
      <Connection />
      <header className={styles.head}>
        {!embed.on && (
          <p className={styles.name}>
            <b>{view.name}</b>
            {view.app.name !== view.name && <span>{view.app.name}</span>}
            {view.environment === 'TEST' && <span>Test environment</span>}
          </p>
        )}
        {view.reports.length > 1 && <Reports view={view} />}
        <Limits view={view} />
      </header>
      <main>
        <Outlet />
      </main>
      {view.poweredBy && (
        <footer className={styles.foot}>
          Powered by <b>Svc</b>
        </footer>
      )}
    </div>
  );
}

function Reports({ view }: { view: SharedView }) {
  const { place, search } = useView();
  return (
    <nav aria-label="Reports" className={styles.reports}>
      {view.reports.map((report) => (
        <Link key={report} to={reports[report].page} params={place} search={search}>
          {reports[report].name}
        </Link>
      ))}
    </nav>
  );
}

/** Goals are named by their ids, whose names readers may not ask for. */
const nameOf = (dimension: string, value: string) =>
  dimension === 'goal' ? goalName([], value) : valueName(dimension, value);

/** What every value of the page is limited to. */
function Limits({ view: { scope, segment } }: { view: SharedView }) {
  const limits = [...(segment ? [['Segment is', segment]] : []), ...filterFacts(scope, nameOf)];
  if (limits.length === 0) return null;
  return (
    <ul aria-label="Fixed filters" className={styles.limits}>
      {limits.map(([what, value]) => (
        <li key={what}>
          {what} <b>{value}</b>
        </li>
      ))}
    </ul>
  );
}

/** Tells the page that embeds the reports how high they are, in pixels, whenever that changes. */
function tellHeight(shell: HTMLElement | null) {
  if (!shell || window.parent === window) return undefined;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(shell.getBoundingClientRect().height);
    // Whoever may frame this page may know how high it is.
    window.parent.postMessage({ type: 'svc:height', height }, '*');
  });
  observer.observe(shell);
  return () => observer.disconnect();
}
