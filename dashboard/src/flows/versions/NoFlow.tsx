import { Link } from '@tanstack/react-router';
import { type Problem, problemsAt } from '../../graphql/problems';
import type { Place } from '../../scope/scope';
import { Empty } from '../../ui/Empty';
import styles from './Versions.module.css';

/** Whether an answer says that there is no such flow; one that could not be read is another matter. */
export const isMissing = (answer: { data: { flow?: unknown }; problems: readonly Problem[] } | undefined): boolean =>
  answer !== undefined &&
  !answer.data.flow &&
  problemsAt(answer.problems, 'flow').every(({ code }) => code === 'not_found');

/** The page of a flow that is not there: said once, with the way back. */
export function NoFlow({ place }: { place: Place }) {
  return (
    <>
      <h1 className={styles.title}>Flow</h1>
      <Empty
        title="There is no such flow"
        why="It was removed, or the address is wrong."
        next={
          <Link to="/apps/$app/$environment/flows" params={place} search={{}}>
            All flows
          </Link>
        }
      />
    </>
  );
}
