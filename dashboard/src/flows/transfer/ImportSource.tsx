import { Button, FileButton, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../ui/Icon';
import { Problem } from '../../ui/Problem';
import { flowNameOf, kindOf, type Source } from './files';
import styles from './Transfer.module.css';

type Props = {
  source: Source;
  setSource: (source: Source) => void;
  /** Hears the name of a flow by that of its file. */
  suggest: (name: string) => void;
};

/** What a flow is imported from: a file that was exported, or a manifest as a file or as text. */
export function ImportSource({ source, setSource, suggest }: Props) {
  const [problem, setProblem] = useState('');
  const [over, setOver] = useState(false);
  const take = async (file: File | null | undefined) => {
    if (!file) return;
    const kind = kindOf(file);
    setProblem(typeof kind === 'object' ? kind.refused : '');
    if (typeof kind === 'object') return;
    setSource(kind === 'bundle' ? { kind, file } : { kind, text: await file.text() });
    suggest(flowNameOf(file.name));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are chosen by the button too
    <div
      className={styles.source}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <div className={styles.choose}>
        <FileButton accept=".zip,.json" onChange={(file) => void take(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <p>or drop it here: an exported flow (.zip) with its media and fonts, or a manifest (.json).</p>
      </div>
      <Problem text={problem} />
      {source.kind === 'bundle' ? (
        <p className={styles.file}>
          <Icon name="flows" />
          <b>{source.file.name}</b>
          <Button variant="subtle" color="gray" onClick={() => setSource({ kind: 'manifest', text: '' })}>
            Remove
          </Button>
        </p>
      ) : (
        <Textarea
          label="Manifest"
          description="Or paste the JSON of one."
          required
          autosize
          minRows={6}
          maxRows={14}
          classNames={{ input: styles.code }}
          value={source.text}
          onChange={(event) => setSource({ kind: 'manifest', text: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
