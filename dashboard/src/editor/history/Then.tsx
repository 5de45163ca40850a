import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ScreenFrame } from '../../flows/preview/ScreenFrame';
import { explain } from '../../graphql/problems';
import type { Shown } from '../../preview/shown';
import { Failure } from '../../ui/Failure';
import { Problem } from '../../ui/Problem';
import { Waiting } from '../../ui/Waiting';
import type { Flow } from '../document/document';
import { useEditing, useNode, useSelection } from '../useEditor';
import { compare, sentenceOf } from './compare';
import styles from './History.module.css';
import { readWayBack, thenQuery } from './queries';
import { restore } from './restore';

/** What pictures need beside the draft. */
export type Look = Pick<Shown, 'mediaMap' | 'branding'>;

type Props = {
  flow: string;
  /** Of the draft then. */
  revision: number;
  /** When that was, in words. */
  at: string;
  /** The name of the step that goes back to it. */
  step?: string;
  /** Whether nothing was changed after it. */
  latest?: boolean;
  /** Whether the draft was replaced as a whole since, so that no way leads back. */
  isGone?: boolean;
  look: Look;
  close: () => void;
};

/** The draft at a revision beside what it is now, and the way back to it. */
export function Then({ flow, revision, at, step = `Go back to ${at}`, latest, isGone, look, close }: Props) {
  const { editor, canEdit } = useEditing();
  const answer = useQuery({ ...thenQuery(flow, revision), enabled: !isGone });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const goBack = async () => {
    setBusy(true);
    setProblem('');
    try {
      const done = await restore(editor, step, () => readWayBack(flow, revision));
      if (done === true) close();
      else setProblem(`${done}.`);
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
    setBusy(false);
  };
  if (isGone)
    return (
      <div className={styles.then}>
        <h3>{at}</h3>
        <p className={styles.none}>The whole draft was replaced after this, so it can’t be shown or restored.</p>
      </div>
    );
  return (
    <div className={styles.then}>
      <h3>{at}</h3>
      {answer.isError ? (
        <Failure error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.data ? (
        <Pictures then={answer.data} look={look} />
      ) : (
        <Waiting height={400} />
      )}
      <Problem text={problem} />
      {latest ? (
        <p className={styles.none}>This is the draft as it is now.</p>
      ) : (
        canEdit && (
          <div>
            <Button loading={busy} disabled={!answer.data} onClick={() => void goBack()}>
              Restore this state
            </Button>
            <p className={styles.none}>All editors of the flow see it. Undo takes it back.</p>
          </div>
        )
      )}
    </div>
  );
}

function Pictures({ then, look }: { then: Flow; look: Look }) {
  const now = useNode('flow')! as Flow;
  const { screen: selected } = useSelection();
  const comparison = useMemo(() => compare(then, now), [then, now]);
  const { screens } = comparison;
  const [wanted, want] = useState<string>();
  const shown =
    screens.find(({ id }) => id === wanted) ??
    screens.find(({ id, differs }) => id === selected && differs) ??
    screens.find(({ differs }) => differs) ??
    screens.find(({ id }) => id === selected) ??
    screens[0];
  return (
    <>
      <p>{sentenceOf(comparison)}</p>
      {shown && (
        <>
          <Select
            size="xs"
            aria-label="Screen"
            w={220}
            value={shown.id}
            allowDeselect={false}
            onChange={(id) => id && want(id)}
            data={screens.map(({ id, name, differs }) => ({ value: id, label: differs ? `${name} – differs` : name }))}
          />
          <div className={styles.pictures}>
            <Picture title="Then" manifest={then} look={look} screen={shown.id} name={shown.name} />
            {shown.isThere && <Picture title="Now" manifest={now} look={look} screen={shown.id} name={shown.name} />}
          </div>
        </>
      )}
    </>
  );
}

type PictureProps = { title: string; manifest: Flow; look: Look; screen: string; name: string };

function Picture({ title, manifest, look, screen, name }: PictureProps) {
  const { locale, theme } = useEditing();
  const shown = useMemo(() => ({ ...look, manifest, screen, locale, theme }), [look, manifest, screen, locale, theme]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <ScreenFrame shown={shown} name={`${name}, ${title.toLowerCase()}`} width={152} />
    </figure>
  );
}
