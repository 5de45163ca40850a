import { Button, Popover, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { appRoute } from '../app/routes';
import { may } from '../app/session/session';
import { explain } from '../graphql/problems';
import { formatExact } from '../ui/format';
import { Icon } from '../ui/Icon';
import styles from './ScopeBar.module.css';
import { createSegment, deleteSegment, estimateQuery, hasRules, renameSegment, segmentsQuery } from './segments';
import { useView } from './useView';

/** Whose reports are shown: everybody's, or those of an audience. Filters in force can be kept as one. */
export function SegmentMenu() {
  const { place, search, change } = useView();
  const { access } = appRoute.useRouteContext();
  const [open, setOpen] = useState(false);
  const answer = useQuery({ ...segmentsQuery(place), enabled: open || search.segment !== undefined });
  const segments = answer.data?.data.app?.segments?.nodes ?? [];
  const chosen = segments.find(({ id }) => id === search.segment);
  const manages = may(access, 'SEGMENT_MANAGE');
  const choose = (segment?: string) => {
    change({ segment });
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<Icon name="people" size={14} />} onClick={() => setOpen(!open)}>
          {search.segment ? (chosen?.name ?? 'A segment') : 'Everybody'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.values}>
          <ul className={styles.segments} aria-label="Segments">
            <li>
              <button type="button" aria-pressed={!search.segment} onClick={() => choose()}>
                Everybody
              </button>
            </li>
            {segments.map(({ id, name }) => (
              <li key={id}>
                <button type="button" aria-pressed={id === search.segment} onClick={() => choose(id)}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
          {search.segment && answer.data && !chosen && (
            <p className={styles.note}>This segment was deleted. Choose another, or everybody.</p>
          )}
          {manages && hasRules(search) && <Save done={choose} />}
          {manages && chosen && <Change key={chosen.id} id={chosen.id} name={chosen.name} deleted={() => choose()} />}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Keeps the filters in force under a name, and shows the new audience in their place. */
function Save({ done }: { done: (id: string) => void }) {
  const { place, search, change } = useView();
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const estimate = useQuery(estimateQuery(place, search)).data?.data.app?.segmentEstimate;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const id = await createSegment(place, search, name.trim());
      change({ f: undefined, platform: undefined });
      done(id);
    } catch (error) {
      setError(explain(error).detail);
    }
  };
  return (
    <form className={styles.keep} onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Keep these filters as a segment"
        description={
          estimate == null
            ? 'People of the last 90 days'
            : `${formatExact(estimate, 'count')} people of the last 90 days`
        }
        placeholder="Its name"
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

function Change({ id, name, deleted }: { id: string; name: string; deleted: () => void }) {
  const [typed, setTyped] = useState(name);
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<string>();
  const run = async (act: () => Promise<void>) => {
    try {
      await act();
      setError(undefined);
    } catch (error) {
      setError(explain(error).detail);
    }
  };
  return (
    <form
      className={styles.keep}
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => renameSegment(id, typed.trim()));
      }}
    >
      <TextInput
        label="Name of this segment"
        value={typed}
        error={error}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" variant="default" disabled={typed.trim() === '' || typed === name}>
        Rename
      </Button>
      <Button
        variant="default"
        color="red"
        onClick={() => (sure ? void run(() => deleteSegment(id).then(deleted)) : setSure(true))}
      >
        {sure ? 'Delete it for everybody' : 'Delete…'}
      </Button>
    </form>
  );
}
