import { lazy, memo, type ReactElement, Suspense } from 'react';
import { shareToken } from '../share/link';
import { ShareButton } from '../share/ShareButton';
import { Chips } from './Chips';
import { FilterMenu } from './FilterMenu';
import { GrainMenu } from './GrainMenu';
import { useToday } from './midnight';
import { PlatformSelect } from './PlatformSelect';
import { RangeMenu } from './RangeMenu';
import styles from './ScopeBar.module.css';
import { SegmentMenu } from './SegmentMenu';
import { zoneOf } from './scope';
import { useView } from './useView';
import { ViewMenu } from './ViewMenu';

const Notes = lazy(async () => ({ default: (await import('./Notes')).Notes }));

type Props = {
  title: string;
  /** Whether the page has charts with buckets. */
  grain?: boolean;
  /** False where figures are of everybody: then the range alone is chosen. */
  people?: boolean;
  /** What the page alone offers, at the end of the row: the same element each time. */
  action?: ReactElement;
};

/** One row of scope above every report: what is asked, of whom and of when. It is drawn by the address and the day alone,
 * not again with each answer: its menus take longer than a table. */
export const ScopeBar = memo(function ScopeBar({ title, grain = true, people = true, action }: Props) {
  const { search } = useView();
  useToday(zoneOf(search));
  return (
    <div className={styles.bar}>
      <div className={styles.row}>
        <h1>{title}</h1>
        {people && !shareToken && (
          <>
            <FilterMenu />
            <SegmentMenu />
            <ViewMenu />
            <ShareButton />
          </>
        )}
        <div className={styles.right}>
          {people && !shareToken && <PlatformSelect />}
          {grain && <GrainMenu />}
          <RangeMenu />
          {action}
        </div>
      </div>
      {people && <Chips />}
      <Suspense>{search.note && <Notes key={search.note} bucket={search.note} />}</Suspense>
    </div>
  );
});
