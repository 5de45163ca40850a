import { useQuery } from '@tanstack/react-query';
import { useView } from '../scope/useView';
import { Confirm } from '../ui/Confirm';
import { Failure } from '../ui/Failure';
import { formatAgo } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import { linksQuery, reports, revokeLink, type SharedLink } from './queries';
import styles from './ShareDialog.module.css';

/** The links of the environment, with when each was last opened. */
export function Links() {
  const { place } = useView();
  const answer = useQuery(linksQuery(place));
  const { act, busy, problem } = useAct();
  const links = answer.data?.data.app?.sharedLinks?.nodes;
  if (!links) {
    return answer.isError ? (
      <Failure error={answer.error} retry={() => void answer.refetch()} />
    ) : (
      <Waiting height={80} />
    );
  }
  if (links.length === 0) return null;
  return (
    <section aria-label="Shared links">
      <h3>Shared links</h3>
      <ul className={styles.links}>
        {links.map((link) => (
          <li key={link.id}>
            <div>
              <b>{link.name}</b>
              <small title={link.reports.map((report) => reports[report].name).join(', ')}>{factsOf(link)}</small>
            </div>
            <Confirm
              meaning="Readers are refused. Revoke?"
              act={() => void act(() => revokeLink(link.id), link.id)}
              loading={busy === link.id}
            >
              Revoke
            </Confirm>
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </section>
  );
}

function factsOf({ reports: shown, lastOpenedAt, expiresAt, hasPassword, author }: SharedLink): string {
  const end = expiresAt && new Date(expiresAt);
  return [
    shown.length === 1 ? reports[shown[0]!].name : `${shown.length} reports`,
    lastOpenedAt ? `last opened ${formatAgo(lastOpenedAt)}` : 'never opened',
    end && (end.getTime() < Date.now() ? 'expired' : `expires ${end.toLocaleDateString()}`),
    hasPassword && 'password',
    author && `by ${author.name || author.email}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
