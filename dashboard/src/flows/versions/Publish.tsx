import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../../app/session/session';
import { pinDocument } from '../../channels/queries';
import { explain, type Finding, findingsOf } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Findings } from '../../ui/Findings';
import { hasMovedOn, MovedOn } from './MovedOn';
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
  const { app } = appRoute.useParams();
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
            <Findings findings={looked.findings} />
            {looked.flow && (
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

/** A draft as it is shown for publishing; without it, `problem` says why it can't be published. */
type Looked = { flow?: FlowDetail; findings: readonly Shown[]; problem: string };

async function lookAt(place: FlowPlace): Promise<Looked> {
  try {
    const { flow } = (await queryClient.fetchQuery({ ...versionsQuery(place), staleTime: 0 })).data;
    if (!flow) return { findings: [], problem: 'There is no such flow any more.' };
    const input = { id: flow.id, revision: flow.draftRevision, label: '', dryRun: true };
    const { data } = await send(publishDocument, input);
    return { flow, findings: data.publishFlow.warnings, problem: '' };
  } catch (error) {
    // Changed in the moment between the two: what is there now is looked at.
    if (hasMovedOn(error)) return lookAt(place);
    const findings = findingsOf(error);
    return {
      findings,
      problem: findings.length > 0 ? 'Fix these problems to publish the draft:' : explain(error).detail,
    };
  }
}

type Shown = Omit<Finding, 'severity' | 'stepId'> & { severity: string };

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
