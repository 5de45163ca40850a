import type { UseQueryResult } from '@tanstack/react-query';
import { isValidElement, type ReactElement, type ReactNode } from 'react';
import type { Figures } from '../explain/definitions';
import { Explain } from '../explain/Explain';
import type { Part } from '../explain/parts';
import type { DataOf, Document } from '../graphql/graphql';
import { problemsAt, Refused } from '../graphql/problems';
import type { Answer } from '../graphql/send';
import { shareToken } from '../share/link';
import styles from './Card.module.css';
import { Empty, type EmptyProps } from './Empty';
import { Failure } from './Failure';
import { Waiting } from './Waiting';

/** The title, in words too where it is none. */
type Title = { title: string; name?: string } | { title: ReactNode; name: string };

type Props<Name extends Document['name'], T> = Title & {
  /** What stands at the right of the title. */
  actions?: ReactNode;
  answer: UseQueryResult<Answer<Name>>;
  /** The card's part of the answer; null when it failed. */
  part: (data: DataOf<Name>) => T | null | undefined;
  /** The path of that part, by which its problem and its explanation are found. */
  path: Part;
  /** The paths of what else the card shows. */
  beside?: readonly Part[];
  /** Its figures by the ids of their definitions, with those values that the page has. */
  figures?: (value: T) => Figures;
  /** Which of many those values are of. */
  example?: (value: T) => string | undefined;
  approximate?: (value: T) => string | undefined;
  /** What stands there until the first answer, in the size of what comes: a height in pixels, or rows of a table. */
  waiting: { height: number } | { rows: number };
  /** What to say when the part has nothing to show, or a component that says it; undefined when it has. */
  empty?: (value: T) => EmptyProps | ReactElement | undefined;
  children: (value: T) => ReactNode;
};

/** A part of a page and all its states: waiting, stale, empty, failed in part or in whole. Nothing else draws them. */
export function Card<Name extends Document['name'], T>(props: Props<Name, T>) {
  const {
    title,
    name = String(title),
    actions,
    answer,
    part,
    path,
    beside = [],
    figures,
    example,
    approximate,
  } = props;
  const value = answer.data && part(answer.data.data);
  return (
    <section className={styles.card} aria-busy={answer.isFetching} data-parts={[path, ...beside].join(' ')}>
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        {answer.data && value != null && !shareToken && (
          <Explain
            title={name}
            parts={[path, ...beside]}
            asked={answer.data.asked}
            at={answer.data.at}
            figures={figures?.(value)}
            example={example?.(value)}
            approximate={approximate?.(value)}
          />
        )}
        <div className={styles.actions}>{actions}</div>
      </div>
      <div className={styles.body} data-stale={answer.isPlaceholderData || undefined}>
        <Body {...props} />
      </div>
    </section>
  );
}

function Body<Name extends Document['name'], T>(props: Props<Name, T>) {
  const { answer, part, path, waiting, empty, children } = props;
  if (answer.data) {
    const value = part(answer.data.data);
    if (value != null) {
      const nothing = empty?.(value);
      if (!nothing) return children(value);
      return isValidElement(nothing) ? nothing : <Empty {...(nothing as EmptyProps)} />;
    }
    const problems = problemsAt(answer.data.problems, path);
    return <Failure error={new Refused(problems)} retry={() => void answer.refetch()} />;
  }
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  return <Waiting {...waiting} />;
}
