import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../../app/session/session';
import { pinDocument } from '../../channels/queries';
import { type DraftProblem, problemsQuery } from '../../editor/problems/queries';
import { explain, Refused } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { hasMovedOn, MovedOn } from './MovedOn';
import { ProblemList } from './ProblemList';
import {
  type FlowDetail,
  type FlowPlace,
  publishDocument,
  type Serving,
  versionsChanged,
  versionsQuery,
} from './queries';
import styles from './Versions.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

/** Makes a version of the draft, in two steps: what the gates say and what it means, then the act. What is published is
 * what was looked at. */
export function Publish({ flow, serving }: { flow: FlowDetail; serving: readonly Serving[] }) {
  const { app, environment } = appRoute.useParams();
  const [looked, setLooked] = useState<Looked>();
  const [busy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    setLooked(await lookAt({ app, flow: flow.id }));
    setBusy(false);
  };
  return (
    <>
      <Button onClick={() => void look()} loading={busy} disabled={flow.archivedAt !== null}>
        Publish
      </Button>
      <Modal
        opened={looked !== undefined && !busy}
        onClose={() => setLooked(undefined)}
        title={`Publish ${flow.name}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {looked && (
          <>
            <p role="alert" className={styles.problem}>
              {looked.problem}
            </p>
            <ProblemList
              problems={looked.problems}
              draft={looked.flow?.draft}
              place={{ app, environment, flow: flow.id }}
            />
            {looked.flow && !looked.problem && (
              <Confirm
                key={looked.flow.draftRevision}
                flow={looked.flow}
                serving={serving}
                look={look}
                done={() => setLooked(undefined)}
              />
            )}
          </>
        )}
      </Modal>
    </>
  );
}

/** A draft as it is shown for publishing; `problem`, unless empty, says why it can't be published. */
type Looked = { flow?: FlowDetail; problems: readonly DraftProblem[]; problem: string };

async function lookAt(place: FlowPlace): Promise<Looked> {
  try {
    const { flow } = (await queryClient.fetchQuery({ ...versionsQuery(place), staleTime: 0 })).data;
    if (!flow) return { problems: [], problem: 'There is no such flow any more.' };
    const blocked = await send(publishDocument, { id: flow.id, revision: flow.draftRevision, label: '', dryRun: true })
      .then(() => false)
      .catch((error) => {
        if (error instanceof Refused && error.code === 'publish_blocked') return true;
        throw error;
      });
    const problems = await queryClient.fetchQuery({ ...problemsQuery(flow.id), staleTime: 0 });
    return { flow, problems, problem: blocked ? 'Fix these problems to publish the draft:' : '' };
  } catch (error) {
    // Changed in the moment between the two: what is there now is looked at.
    if (hasMovedOn(error)) return lookAt(place);
    return { problems: [], problem: explain(error).detail };
  }
}

type ConfirmProps = { flow: FlowDetail; serving: readonly Serving[]; look: () => Promise<void>; done: () => void };

function Confirm({ flow, serving, look, done }: ConfirmProps) {
  const { access } = appRoute.useRouteContext();
  const [label, setLabel] = useState('');
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState('');
  const [movedOn, setMovedOn] = useState(false);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { data } = await send(publishDocument, {
        id: flow.id,
        revision: flow.draftRevision,
        label,
        dryRun: false,
      });
      for (const id of pinned) await send(pinDocument, { id, version: data.publishFlow.version.id, dryRun: false });
      done();
    } catch (error) {
      const { title, detail } = explain(error);
      if (hasMovedOn(error)) setMovedOn(true);
      else setProblem(`${title}. ${detail}`);
      setBusy(false);
    }
    await versionsChanged();
    await queryClient.invalidateQueries({ queryKey: ['Channels'] });
  };
  if (movedOn) return <MovedOn flow={flow.id} revision={flow.draftRevision} look={look} />;
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label="Label"
        placeholder="Shorter questions"
        maxLength={120}
        data-autofocus
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <p>
        Publishing creates a version; users get it when a channel is set to it.{' '}
        {serving.length > 0
          ? 'These channels keep their live version unless you change it:'
          : 'Set the version live on a channel afterwards.'}
      </p>
      {serving.length > 0 && may(access, 'CHANNEL_MANAGE') && (
        <Checkbox.Group value={[...pinned]} onChange={setPinned}>
          <div className={styles.form}>
            {serving.map(({ id, name, kind, number }) => (
              <Checkbox
                key={id}
                value={id}
                label={`${name}${kind === 'TEST' ? ' (test)' : ''} gets the new version instead of v${number}`}
              />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <Button type="submit" loading={busy}>
        {pinned.length > 0 ? 'Publish and set live' : 'Publish'}
      </Button>
    </form>
  );
}
