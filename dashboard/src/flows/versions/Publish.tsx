import { Button, Modal, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useState } from 'react';

import { may } from '../../app/session/session';
import { pinDocument } from '../../channels/queries';
import { told } from '../../editor/problems/told';
import { explain } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { type Looked, lookAt } from './lookAt';
import { hasMovedOn, MovedOn } from './MovedOn';
import { OtherChannel } from './OtherChannel';
import { ProblemList } from './ProblemList';
import {
  type Experimenting,
  type FlowDetail,
  type Other,
  publishDocument,
  type Serving,
  versionsChanged,
} from './queries';
import { Reach } from './Reach';
import { Simulated } from './Simulated';
import { Since } from './Since';
import styles from './Versions.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

type Props = {
  flow: FlowDetail;
  serving: readonly Serving[];
  others: readonly Other[];
  experiments: readonly Experimenting[];
  /** Whether whoever came here wants to publish: what that means is shown at once. */
  asked: boolean;
  /** Is told that it is shown. */
  heard: () => void;
};

/** Makes a version of the draft, in two steps: what the gates say and what it means, then the act. What is published is
 * what was looked at. */
export function Publish({ flow, serving, others, experiments, asked, heard }: Props) {
  const { app, environment } = appRoute.useParams();
  const [looked, setLooked] = useState<Looked>();
  const [busy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    setLooked(await lookAt({ app, flow: flow.id }));
    setBusy(false);
  };
  const hear = useEffectEvent(() => {
    heard();
    if (flow.archivedAt === null) void look();
  });
  useEffect(() => {
    if (asked) hear();
  }, [asked]);
  const problems = looked && (
    <ProblemList problems={looked.problems} draft={looked.flow?.draft} place={{ app, environment, flow: flow.id }} />
  );
  const count = told(looked?.problems ?? []).length;
  const warnings = (
    <details>
      <summary>{count === 1 ? '1 warning' : `${count} warnings`}</summary>
      {problems}
    </details>
  );
  return (
    <>
      <Button onClick={() => void look()} loading={busy} disabled={flow.archivedAt !== null}>
        Publish
      </Button>
      <Modal
        opened={looked !== undefined && !busy}
        onClose={() => setLooked(undefined)}
        title={`Publish ${flow.name}`}
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {looked && (
          <>
            <p role="alert" className={styles.problem}>
              {looked.problem}
            </p>
            {looked.problem && problems}
            {looked.flow && !looked.problem && (
              <Confirm
                key={looked.flow.draftRevision}
                flow={looked.flow}
                serving={serving}
                others={others}
                experiments={experiments}
                look={look}
                done={() => setLooked(undefined)}
                warnings={looked.problems.length > 0 && warnings}
              />
            )}
          </>
        )}
      </Modal>
    </>
  );
}

type ConfirmProps = Pick<Props, 'serving' | 'others' | 'experiments'> & {
  flow: FlowDetail;
  look: () => Promise<void>;
  done: () => void;
  warnings: ReactNode;
};

function Confirm({ flow, serving, others, experiments, look, done, warnings }: ConfirmProps) {
  const { access } = appRoute.useRouteContext();
  const [label, setLabel] = useState(flow.publishRequest?.label ?? '');
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [other, setOther] = useState<string | null>(null);
  const live = other ? [...pinned, other] : pinned;
  const mayPin = may(access, 'CHANNEL_MANAGE');
  const [problem, setProblem] = useState('');
  /** What a try has done before another part of it failed: the next one goes on from there. */
  const [version, setVersion] = useState<{ id: string; number: number }>();
  const [served, setServed] = useState<readonly string[]>([]);
  const [movedOn, setMovedOn] = useState(false);
  const [busy, setBusy] = useState(false);
  const publish = async () => {
    const input = { id: flow.id, revision: flow.draftRevision, label, dryRun: false };
    return (await send(publishDocument, input)).data.publishFlow.version;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const made = version ?? (await publish());
      setVersion(made);
      for (const id of live.filter((one) => !served.includes(one))) {
        await send(pinDocument, { id, version: made.id, dryRun: false });
        setServed((before) => [...before, id]);
      }
      done();
    } catch (error) {
      const { title, detail } = explain(error);
      if (hasMovedOn(error)) setMovedOn(true);
      else setProblem(`${title}. ${detail}`);
      setBusy(false);
    }
    await versionsChanged();
    await queryClient.invalidateQueries({ queryKey: ['Channels'] });
    await queryClient.invalidateQueries({ queryKey: ['ChannelWatch'] });
  };
  if (movedOn) return <MovedOn flow={flow.id} revision={flow.draftRevision} look={look} />;
  return (
    <form className={styles.form} onSubmit={submit}>
      <Since flow={flow} />
      <Simulated flow={flow} />
      {warnings}
      <TextInput
        label="Label"
        placeholder="Shorter questions"
        maxLength={120}
        data-autofocus
        disabled={version !== undefined}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <Reach
        flow={flow.id}
        serving={serving}
        experiments={experiments}
        pinned={pinned}
        pin={mayPin ? setPinned : undefined}
      />
      {mayPin && <OtherChannel flow={flow} others={others} channel={other} choose={setOther} />}
      <p role="alert" className={styles.problem}>
        {problem && version && `Version ${version.number} is published, and not live everywhere yet. `}
        {problem}
      </p>
      <Button type="submit" loading={busy}>
        {version ? 'Set live' : live.length > 0 ? 'Publish and set live' : 'Publish'}
      </Button>
    </form>
  );
}
