import { Button, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';

import { may } from '../app/session/session';
import { Icon } from '../ui/Icon';
import { withGoals } from './goals';
import { Choices } from './Named';
import styles from './ScopeBar.module.css';
import { expanded, filtersOfRules, hasRules, rulesOf, sameFilters, segmentsQuery } from './segments';
import { useGoals } from './useGoals';
import { useView } from './useView';

const appRoute = getRouteApi('/apps/$app/$environment');

const SegmentDialog = lazy(async () => ({ default: (await import('../segments/SegmentDialog')).SegmentDialog }));
const SegmentMeaning = lazy(async () => ({ default: (await import('../segments/SegmentMeaning')).SegmentMeaning }));

/** Whose reports are shown: everybody's, or those of a segment, which is made, explained and changed here too. */
export function SegmentMenu() {
  const { place, search, filters, change } = useView();
  const goals = useGoals(place, filters);
  const { access } = appRoute.useRouteContext();
  const [open, setOpen] = useState(false);
  const [writing, setWriting] = useState<'new' | 'filters' | 'chosen'>();
  // While one is written, too: a saved one is in the list before the address names it.
  const wanted = open || writing !== undefined || search.segment !== undefined;
  const answer = useQuery({ ...segmentsQuery(place), enabled: wanted });
  const segments = answer.data?.data.app?.segments?.nodes ?? [];
  const chosen = segments.find(({ id }) => id === search.segment);
  const manages = may(access, 'SEGMENT_MANAGE');
  const differs =
    chosen !== undefined && search.sf !== undefined && !sameFilters(search.sf, filtersOfRules(chosen.rules));
  // A link whose segment is there no more shows the people by what the segment chose them by.
  const lost =
    search.segment !== undefined &&
    answer.data !== undefined &&
    !answer.isFetching &&
    !chosen &&
    search.sf !== undefined;
  useEffect(() => {
    if (lost) change(expanded(search), true);
  }, [lost, search, change]);
  const choose = (segment?: string) => {
    change({ segment, sf: filtersOfRules(segments.find(({ id }) => id === segment)?.rules) });
    setOpen(false);
  };
  const write = (what: typeof writing) => {
    setOpen(false);
    setWriting(what);
  };
  const close = () => setWriting(undefined);
  return (
    <>
      <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<Icon name="people" size={14} />} onClick={() => setOpen(!open)}>
            {search.segment ? (chosen?.name ?? 'A segment') : 'All users'}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <div className={styles.values}>
            <Choices label="Segments" none="All users" items={segments} chosen={search.segment} choose={choose} />
            {search.segment && answer.data && !chosen && (
              <p className={styles.note}>This segment was deleted. Choose another one, or all users.</p>
            )}
            {open && chosen && (
              <Suspense>
                <SegmentMeaning place={place} segment={chosen} />
              </Suspense>
            )}
            {differs && (
              <>
                <p className={styles.note}>The segment has changed since this link was created.</p>
                <Button variant="default" onClick={() => change(expanded(search))}>
                  Show original
                </Button>
              </>
            )}
            {manages && (
              <div className={styles.keep}>
                {chosen && (
                  <Button variant="default" onClick={() => write('chosen')}>
                    Edit “{chosen.name}”
                  </Button>
                )}
                {hasRules(search) && (
                  <Button variant="default" onClick={() => write('filters')}>
                    From these filters
                  </Button>
                )}
                <Button variant="default" onClick={() => write('new')}>
                  New segment
                </Button>
              </div>
            )}
          </div>
        </Popover.Dropdown>
      </Popover>
      <Suspense>
        {writing && (
          <SegmentDialog
            place={place}
            segment={writing === 'chosen' ? chosen : undefined}
            begin={writing === 'filters' ? { rules: withGoals(rulesOf(place, search), goals) } : undefined}
            close={close}
            saved={(segment, rules) => {
              // What the segment chooses by need not be asked for twice.
              const kept = writing === 'filters' ? { f: undefined, platform: undefined } : {};
              change({ ...kept, segment, sf: filtersOfRules(rules) });
              close();
            }}
            deleted={() => {
              change({ segment: undefined, sf: undefined });
              close();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
