import { useNavigate } from '@tanstack/react-router';
import { ProblemItem } from '../../editor/problems/ProblemItem';
import styles from '../../editor/problems/Problems.module.css';
import type { DraftProblem } from '../../editor/problems/queries';
import { keyOf, told } from '../../editor/problems/told';
import { addressOf } from './addressOf';

type Props = {
  problems: readonly DraftProblem[];
  draft: unknown;
  place: { app: string; environment: string; flow: string };
};

/** What is wrong with a draft, as its editor says it; each leads there. */
export function ProblemList({ problems, draft, place }: Props) {
  const navigate = useNavigate();
  if (problems.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Problems">
      {told(problems).map((one) => (
        <ProblemItem
          key={keyOf(one)}
          problem={one}
          go={() =>
            void navigate({
              to: '/apps/$app/$environment/flows/$flow/edit',
              params: place,
              search: addressOf(draft, one),
            })
          }
        />
      ))}
    </ul>
  );
}
