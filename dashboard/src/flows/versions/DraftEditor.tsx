import { Button } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { LazyCompare } from '../../editor/compare/LazyCompare';
import { explain, type Finding } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Code } from '../../ui/Code';
import { Findings } from '../../ui/Findings';
import { rangeOf } from '../../ui/pointer';
import { Waiting } from '../../ui/Waiting';
import { createAutosave, type SaveState } from '../document/autosave';
import { keptDrafts, type Unsaved } from '../document/kept';
import { type FlowDetail, saveDraftDocument, versionsChanged, versionsQuery } from './queries';
import styles from './Versions.module.css';

type Props = { app: string; flow: FlowDetail; editable: boolean; at: string | undefined };

/** The draft as JSON. It is saved by itself; what the server does not have yet is kept in this browser. */
export function DraftEditor({ app, flow, editable, at }: Props) {
  const [kept, setKept] = useState<Unsaved | null>();
  useEffect(() => {
    void keptDrafts.read(flow.id).then((unsaved) => setKept(unsaved ?? null));
  }, [flow.id]);
  if (kept === undefined) return <Waiting height={560} />;
  return <Editor key={flow.id} app={app} flow={flow} editable={editable} kept={kept} at={at} />;
}

const stateWords: Record<SaveState, string> = {
  saved: 'Saved',
  waiting: 'Not saved yet',
  saving: 'Saving…',
  unfinished: 'Invalid JSON, kept in this browser',
  offline: 'The server does not answer. Your changes are kept in this browser and sent as soon as it does.',
  conflict: 'Edit conflict',
  refused: 'Not saved, kept in this browser',
};

const written = (draft: unknown) => JSON.stringify(draft, null, 2);

function Editor({ app, flow, editable, kept, at }: Props & { kept: Unsaved | null }) {
  const [begun] = useState(flow);
  const [text, setText] = useState(() => kept?.text ?? written(begun.draft));
  const [state, setState] = useState<SaveState>('saved');
  const [problem, setProblem] = useState('');
  const [findings, setFindings] = useState<readonly Shown[]>(flow.problems);
  const [go, setGo] = useState<{ position: number }>();
  const autosave = useRef<ReturnType<typeof createAutosave>>(undefined);
  useEffect(() => {
    const saver = createAutosave({
      saved: written(begun.draft),
      // What was kept goes on from the revision that it was typed on, so that it writes over nobody.
      revision: kept?.revision ?? begun.draftRevision,
      async save(draft, revision) {
        const { data } = await send(saveDraftDocument, { flow: begun.id, revision, draft });
        setFindings(data.saveDraft.problems);
        void versionsChanged();
        return data.saveDraft.flow.draftRevision;
      },
      keep: (unsaved) => keptDrafts.write(begun.id, unsaved),
      report(state, error) {
        setState(state);
        setProblem(state === 'refused' ? explain(error).detail : '');
      },
    });
    autosave.current = saver;
    if (kept) saver.changed(kept.text);
    const leave = () => void saver.flush();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      void saver.flush();
      saver.stop();
    };
  }, [begun, kept]);
  const jump = useMemo(() => (pointer: string) => setGo({ position: rangeOf(text, pointer).from }), [text]);
  const jumped = useRef('');
  useEffect(() => {
    if (!at || jumped.current === at) return;
    jumped.current = at;
    jump(at);
  }, [at, jump]);
  const diagnostics = useMemo(
    () =>
      findings.map(({ pointer, message, severity }) => ({
        ...rangeOf(text, pointer),
        message,
        severity: severity === 'WARNING' ? ('warning' as const) : ('error' as const),
      })),
    [findings, text],
  );
  return (
    <>
      <p role="status" className={styles.state} data-state={state}>
        {stateWords[state]}
        {problem && `: ${problem}`}
      </p>
      {state === 'conflict' && (
        <Conflict
          app={app}
          flow={flow}
          text={text}
          resolve={(revision, theirs) => {
            if (theirs !== undefined) setText(theirs);
            void autosave.current?.resolve(revision, theirs);
          }}
        />
      )}
      <Code
        label={`Draft of ${flow.name} as JSON`}
        text={text}
        height={560}
        go={go}
        diagnostics={diagnostics}
        {...(editable && {
          change: (text: string) => {
            setText(text);
            autosave.current?.changed(text);
          },
        })}
      />
      <Findings findings={findings} go={jump} />
    </>
  );
}

type Shown = Omit<Finding, 'severity' | 'stepId'> & { severity: string };

/** Both sides of a conflict, and the two ways out. */
function Conflict({
  app,
  flow,
  text,
  resolve,
}: {
  app: string;
  flow: FlowDetail;
  text: string;
  resolve: (revision: number, theirs: string | undefined) => void;
}) {
  const [theirs, setTheirs] = useState<FlowDetail>();
  useEffect(() => {
    const query = versionsQuery({ app, flow: flow.id });
    void queryClient.fetchQuery({ ...query, staleTime: 0 }).then(({ data }) => data.flow && setTheirs(data.flow));
  }, [app, flow.id]);
  const mine = useMemo(() => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }, [text]);
  return (
    <section className={styles.conflict} role="alert">
      <b>Another member saved this draft while you worked on it. Your changes are kept here.</b>
      {theirs && mine !== undefined && (
        <details>
          <summary>Your changes against theirs</summary>
          <LazyCompare before={theirs.draft} after={mine} names={['Theirs', 'Mine']} view="words" />
        </details>
      )}
      <div>
        <Button
          variant="default"
          disabled={!theirs}
          onClick={() => theirs && resolve(theirs.draftRevision, written(theirs.draft))}
        >
          Use theirs
        </Button>
        <Button
          disabled={!theirs || mine === undefined}
          onClick={() => theirs && resolve(theirs.draftRevision, undefined)}
        >
          Overwrite with mine
        </Button>
      </div>
    </section>
  );
}
