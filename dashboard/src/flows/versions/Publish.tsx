import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../../app/session/session';
import { pinDocument } from '../../channels/queries';
import { explain, type Finding, findingsOf } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Findings } from '../../ui/Findings';
import { type FlowDetail, publishDocument, type Serving, versionsChanged } from './queries';
import styles from './Versions.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

/** Makes a version of the draft, in two steps: what the gates say and what it means, then the act. */
export function Publish({ flow, serving }: { flow: FlowDetail; serving: readonly Serving[] }) {
  const [findings, setFindings] = useState<readonly Shown[]>();
  const [blocked, setBlocked] = useState(false);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    setProblem('');
    setBlocked(false);
    setFindings([]);
    try {
      const { data } = await send(publishDocument, { id: flow.id, label: '', dryRun: true });
      setFindings(data.publishFlow.warnings);
    } catch (error) {
      setBlocked(true);
      setFindings(findingsOf(error));
      setProblem(findingsOf(error).length > 0 ? 'Fix these problems to publish the draft:' : explain(error).detail);
    }
    setBusy(false);
  };
  return (
    <>
      <Button onClick={() => void check()} loading={busy} disabled={flow.archivedAt !== null}>
        Publish
      </Button>
      <Modal
        opened={findings !== undefined && !busy}
        onClose={() => setFindings(undefined)}
        title={`Publish ${flow.name}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
        <Findings findings={findings ?? []} />
        {!blocked && <Confirm flow={flow} serving={serving} done={() => setFindings(undefined)} />}
      </Modal>
    </>
  );
}

type Shown = Omit<Finding, 'severity' | 'stepId'> & { severity: string };

function Confirm({ flow, serving, done }: { flow: FlowDetail; serving: readonly Serving[]; done: () => void }) {
  const { access } = appRoute.useRouteContext();
  const [label, setLabel] = useState('');
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { data } = await send(publishDocument, { id: flow.id, label, dryRun: false });
      for (const id of pinned) await send(pinDocument, { id, version: data.publishFlow.version.id, dryRun: false });
      done();
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
      setBusy(false);
    }
    await versionsChanged();
    await queryClient.invalidateQueries({ queryKey: ['Channels'] });
  };
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
