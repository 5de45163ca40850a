import { Button, Popover, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';

import { may } from '../app/session/session';
import { explain } from '../graphql/problems';
import { formatExact } from '../ui/format';
import { Icon } from '../ui/Icon';
import { Change, Choices } from './Named';
import styles from './ScopeBar.module.css';
import {
  createSegment,
  deleteSegment,
  estimateQuery,
  expanded,
  filtersOfRules,
  filtersOfSearch,
  hasRules,
  renameSegment,
  sameFilters,
  segmentsQuery,
} from './segments';
import { useView } from './useView';

const appRoute = getRouteApi('/apps/$app/$environment');

/** Whose reports are shown: everybody's, or those of an audience. Filters in force can be kept as one. */
export function SegmentMenu() {
  const { place, search, change } = useView();
  const { access } = appRoute.useRouteContext();
  const [open, setOpen] = useState(false);
  const answer = useQuery({ ...segmentsQuery(place), enabled: open || search.segment !== undefined });
  const segments = answer.data?.data.app?.segments?.nodes ?? [];
  const chosen = segments.find(({ id }) => id === search.segment);
  const manages = may(access, 'SEGMENT_MANAGE');
  const differs =
    chosen !== undefined && search.sf !== undefined && !sameFilters(search.sf, filtersOfRules(chosen.rules));
  // A link whose segment is there no more shows the people by what the segment chose them by.
  const lost = search.segment !== undefined && answer.data !== undefined && !chosen && search.sf !== undefined;
  useEffect(() => {
    if (lost) change(expanded(search), true);
  }, [lost, search, change]);
  const choose = (segment?: string) => {
    change({ segment, sf: filtersOfRules(segments.find(({ id }) => id === segment)?.rules) });
    setOpen(false);
  };
  return (
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
          {differs && (
            <>
              <p className={styles.note}>The segment has changed since this link was created.</p>
              <Button variant="default" onClick={() => change(expanded(search))}>
                Show original
              </Button>
            </>
          )}
          {manages && hasRules(search) && <Save done={() => setOpen(false)} />}
          {manages && chosen && (
            <Change
              key={chosen.id}
              label="Name of this segment"
              name={chosen.name}
              rename={(name) => renameSegment(chosen.id, name)}
              remove={async () => {
                change({ sf: undefined }, true); // who deletes it wants no filters in its place
                await deleteSegment(chosen.id);
                choose();
              }}
            />
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Keeps the filters in force under a name, and shows the new audience in their place. */
function Save({ done }: { done: () => void }) {
  const { place, search, change } = useView();
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const estimate = useQuery(estimateQuery(place, search)).data?.data.app?.segmentEstimate;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const id = await createSegment(place, search, name.trim());
      change({ f: undefined, platform: undefined, segment: id, sf: filtersOfSearch(search) });
      done();
    } catch (error) {
      setError(explain(error).detail);
    }
  };
  return (
    <form className={styles.keep} onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Save filters as segment"
        description={
          estimate == null ? 'Users of the last 90 days' : `${formatExact(estimate, 'count')} users of the last 90 days`
        }
        placeholder="Name"
        value={name}
        error={error}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" variant="default" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  );
}
