import { Button, FileButton, Progress, Select } from '@mantine/core';
import { useState } from 'react';
import type { EnvironmentKind, HistorySource } from '../graphql/schema.gen';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Imports.module.css';
import { importsChanged, uploadHistory } from './queries';
import { sources, uploaded } from './sources';

type Props = { app: string; environment: EnvironmentKind; done: (id: string) => void };

/** Chooses a source and uploads its file. */
export function NewImport({ app, environment, done }: Props) {
  const [source, setSource] = useState<HistorySource>('POSTHOG');
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const { busy, problem, run } = useAct();
  const upload = async (file: File) => {
    setFile(file);
    setShare(0);
    const id = await run(() =>
      uploadHistory({ app, environment }, source, file, (bytes) => setShare((100 * bytes) / file.size)),
    );
    setFile(null);
    await importsChanged();
    if (id) done(id);
  };
  return (
    <div className={styles.new}>
      <Select
        label="Source"
        description={sources[source].file}
        w={320}
        allowDeselect={false}
        disabled={busy !== ''}
        value={source}
        onChange={(value) => setSource(value as HistorySource)}
        data={uploaded}
      />
      <FileButton onChange={(file) => file && void upload(file)} inputProps={{ 'aria-label': 'File to import' }}>
        {(props) => (
          <Button {...props} loading={busy !== ''}>
            Choose a file
          </Button>
        )}
      </FileButton>
      {file && (
        <div className={styles.progress}>
          <span>Uploading {file.name}</span>
          <Progress value={share} aria-label={`Upload of ${file.name}`} />
        </div>
      )}
      <Problem text={problem} />
    </div>
  );
}
