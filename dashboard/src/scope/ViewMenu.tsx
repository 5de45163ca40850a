import { Button, Popover, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../app/session/session';
import { Icon } from '../ui/Icon';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { Change, Choices } from './Named';
import styles from './ScopeBar.module.css';
import { segmentsQuery } from './segments';
import { useView } from './useView';
import { createView, deleteView, overwriteView, renameView, searchOf, shows, viewsQuery } from './views';

const appRoute = getRouteApi('/apps/$app/$environment');

/** Scopes under a name: everybody applies them, editors keep them. */
export function ViewMenu() {
  const { place, search, change } = useView();
  const { access } = appRoute.useRouteContext();
  const [open, setOpen] = useState(false);
  const wanted = open || search.view !== undefined;
  const views = useQuery({ ...viewsQuery(place), enabled: wanted }).data?.data.app?.savedViews?.nodes ?? [];
  const segments = useQuery({ ...segmentsQuery(place), enabled: open }).data?.data.app?.segments?.nodes ?? [];
  const chosen = views.find(({ id }) => id === search.view);
  const edited = chosen !== undefined && !shows(search, chosen);
  const manages = may(access, 'VIEW_MANAGE');
  const { act, busy, problem } = useAct();
  const choose = (id?: string) => {
    const view = views.find((view) => view.id === id);
    if (view) change({ ...searchOf(view.scope, segments), view: view.id });
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="engagement" size={14} />}
          onClick={() => setOpen(!open)}
          data-print={chosen ? undefined : 'no'}
        >
          {chosen ? `${chosen.name}${edited ? ', changed' : ''}` : 'Saved views'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.values}>
          {views.length > 0 ? (
            <Choices label="Views" items={views} chosen={search.view} choose={choose} />
          ) : (
            <p className={styles.note}>
              A view saves range, filters, segment and comparison
              {manages ? '.' : '. No saved views yet.'}
            </p>
          )}
          {manages && chosen && edited && (
            <Button
              variant="default"
              loading={busy !== ''}
              onClick={() => void act(() => overwriteView(chosen.id, search))}
            >
              Update “{chosen.name}”
            </Button>
          )}
          <Problem text={problem} />
          {manages && (!chosen || edited) && (
            <Save
              done={(id) => {
                change({ view: id });
                setOpen(false);
              }}
            />
          )}
          {manages && chosen && (
            <Change
              key={chosen.id}
              label="Name of this view"
              name={chosen.name}
              rename={(name) => renameView(chosen.id, name)}
              remove={async () => {
                await deleteView(chosen.id);
                change({ view: undefined });
              }}
            />
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Save({ done }: { done: (id: string) => void }) {
  const { place, search } = useView();
  const [name, setName] = useState('');
  const { run, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const id = await run(() => createView(place, search, name.trim()));
    if (id) {
      setName('');
      done(id);
    }
  };
  return (
    <form className={styles.keep} onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Save current view"
        placeholder="Name"
        maxLength={120}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Problem text={problem} />
      <Button type="submit" variant="default" loading={busy !== ''} disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  );
}
