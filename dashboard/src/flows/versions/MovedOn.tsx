import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

import { Refused } from '../../graphql/problems';
import { formatAgo } from '../../ui/format';
import { authorsQuery } from './queries';
import styles from './Versions.module.css';

/** Whether the draft was changed after the revision that was looked at. */
export const hasMovedOn = (error: unknown): boolean =>
  error instanceof Refused && error.code === 'conflict' && error.problems[0]?.field === 'revision';

type Props = { flow: string; revision: number; look: () => Promise<void> };

/** Says who changed a draft since a revision, and offers to look at what it is now. */
export function MovedOn({ flow, revision, look }: Props) {
  const answer = useQuery(authorsQuery(flow));
  const since = answer.data?.data.draftHistory.nodes.filter((entry) => entry.revision > revision) ?? [];
  return (
    <div className={styles.conflict} role="alert">
      <b>The draft was changed after you looked at it. Nothing was published.</b>
      {since.length > 0 && (
        <ul className={styles.authors}>
          {since.map(({ revision, person, to, changes }) => (
            <li key={revision}>
              {person ?? 'A former member'}, {formatAgo(to)}
              {changes.length > 0 && `: ${changes.slice(0, 3).join(', ')}`}
              {changes.length > 3 && ` and ${changes.length - 3} more`}
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button data-autofocus onClick={() => void look()}>
          Look again
        </Button>
      </div>
    </div>
  );
}
