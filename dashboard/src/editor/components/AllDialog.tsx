import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../../ui/Confirm';
import { Problem } from '../../ui/Problem';
import { useAct } from '../../ui/useAct';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { useEditing } from '../useEditor';
import styles from './Components.module.css';
import { Picture } from './Picture';
import { deleteComponent, usesQuery } from './queries';
import { useComponents } from './useComponents';

const editRoute = getRouteApi('/apps/$app/$environment/flows/$flow/edit');

/** The components of the app: where they are used, and what can be done with them. */
export function AllDialog({ app, first }: { app: string; first: string | undefined }) {
  useReturnFocus();
  const { canEdit } = useEditing();
  const { list = [], ask } = useComponents();
  const [open, setOpen] = useState(first);
  const { act, busy, problem } = useAct();
  return (
    <Modal
      opened
      onClose={() => ask(undefined)}
      size="lg"
      title="Components"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {list.length === 0 && <p>The app has no components. Save a layer as one by its menu.</p>}
      <ul className={styles.all}>
        {list.map((component) => (
          <li key={component.id} aria-label={component.name}>
            <div>
              <Picture tree={component.content.tree} />
              <strong title={component.name}>{component.name}</strong>
              <Button
                size="compact-sm"
                variant="subtle"
                aria-expanded={open === component.id}
                onClick={() => setOpen(open === component.id ? undefined : component.id)}
              >
                Where used
              </Button>
              {canEdit && (
                <>
                  <Button size="compact-sm" variant="subtle" onClick={() => ask({ is: 'settings', component })}>
                    Rename and settings…
                  </Button>
                  <Confirm
                    meaning="Delete? Instances become plain layers"
                    loading={busy === component.id}
                    act={() => void act(() => deleteComponent(app, component.id), component.id)}
                  >
                    Delete
                  </Confirm>
                </>
              )}
            </div>
            {open === component.id && <Uses id={component.id} />}
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </Modal>
  );
}

function Uses({ id }: { id: string }) {
  const place = editRoute.useParams();
  const { ask } = useComponents();
  const { data, error } = useQuery(usesQuery(id));
  if (error) return <Problem text="The uses could not be read. Try again" />;
  if (!data) return <p className={styles.uses}>…</p>;
  if (data.length === 0) return <p className={styles.uses}>Not used anywhere.</p>;
  return (
    <ul className={styles.uses} aria-label="Used in">
      {data.map(({ flowId, name, instances }) => (
        <li key={flowId}>
          <Link
            to="/apps/$app/$environment/flows/$flow/edit"
            params={{ ...place, flow: flowId }}
            onClick={() => ask(undefined)}
          >
            {name}
          </Link>
          {`: ${instances} ${instances === 1 ? 'instance' : 'instances'}`}
        </li>
      ))}
    </ul>
  );
}
