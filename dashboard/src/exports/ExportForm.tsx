import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { EnvironmentKind, ParquetExportFrequency } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { SegmentedControl } from '../ui/SegmentedControl';
import { useAct } from '../ui/useAct';
import styles from './Export.module.css';
import { checkExportDocument, exportChanged, type ParquetExport, saveExportDocument } from './queries';

type Props = { stored: ParquetExport | null; app: string; environment: EnvironmentKind; close: () => void };

const empty = { endpoint: '', region: '', bucket: '', prefix: '', accessKeyId: '', secretAccessKey: '' };

type Field = keyof typeof empty;

/** Sets where the environment is exported to and how often, after a check if one asks for it. */
export function ExportForm({ stored, app, environment, close }: Props) {
  const [to, setTo] = useState(() => {
    if (!stored) return empty;
    const { endpoint, region, bucket, prefix, accessKeyId } = stored;
    return { ...empty, endpoint, region, bucket, prefix, accessKeyId };
  });
  const [frequency, setFrequency] = useState<ParquetExportFrequency>(stored?.frequency ?? 'DAILY');
  const [checked, setChecked] = useState<{ works: boolean; problem: string }>();
  const { act, run, busy, problem } = useAct();
  // The stored secret belongs to the endpoint and the key that it was given with.
  const keeps = stored !== null && stored.endpoint === to.endpoint && stored.accessKeyId === to.accessKeyId;
  const destination = { ...to, secretAccessKey: to.secretAccessKey || null };
  const check = async (form: HTMLFormElement | null) => {
    setChecked(undefined);
    if (!form?.reportValidity()) return;
    const input = { appId: app, environment, destination };
    const answer = await run(() => send(checkExportDocument, { input }), 'check');
    setChecked(answer?.data.checkParquetExport);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const input = { appId: app, environment, destination, frequency };
    const done = await act(async () => {
      await send(saveExportDocument, { input });
      await exportChanged();
    }, 'save');
    if (done) close();
  };
  const field = (name: Field) => ({
    value: to[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => {
      setChecked(undefined);
      setTo({ ...to, [name]: event.currentTarget.value.trim() }); // it is pasted, with what stood around it
    },
  });
  return (
    <form className={styles.form} onSubmit={(event) => void save(event)}>
      <TextInput
        label="Endpoint"
        description="Of any storage that speaks S3: Amazon, R2, MinIO, Hetzner."
        placeholder="https://s3.eu-central-1.amazonaws.com"
        type="url"
        required
        maxLength={2048}
        {...field('endpoint')}
      />
      <div className={styles.pair}>
        <TextInput label="Bucket" placeholder="acme-history" required maxLength={63} {...field('bucket')} />
        <TextInput label="Prefix" placeholder="svc" maxLength={512} {...field('prefix')} />
      </div>
      <TextInput label="Region" placeholder="eu-central-1" maxLength={64} {...field('region')} />
      <div className={styles.pair}>
        <TextInput label="Access key ID" required maxLength={256} {...field('accessKeyId')} />
        <TextInput
          label="Secret access key"
          type="password"
          required={!keeps}
          placeholder={keeps ? 'Unchanged' : ''}
          maxLength={256}
          {...field('secretAccessKey')}
          autoComplete="new-password"
        />
      </div>
      <p className={styles.beside}>
        The key needs to list, read, write and delete objects of the bucket. The secret is stored encrypted; nobody can
        read it here afterwards.
      </p>
      <SegmentedControl
        aria-label="Schedule"
        value={frequency}
        onChange={(value) => setFrequency(value as ParquetExportFrequency)}
        data={[
          { value: 'DAILY', label: 'Every day' },
          { value: 'HOURLY', label: 'Every hour' },
          { value: 'NEVER', label: 'Only when run' },
        ]}
      />
      <div className={styles.acts}>
        <Button type="submit" loading={busy === 'save'}>
          Save export
        </Button>
        <Button variant="default" loading={busy === 'check'} onClick={(event) => void check(event.currentTarget.form)}>
          Check connection
        </Button>
        {stored && (
          <Button variant="subtle" onClick={close}>
            Cancel
          </Button>
        )}
      </div>
      <p role="status" className={styles.checked} data-works={checked?.works}>
        {checked && (checked.works ? 'It works: files can be listed, written, read and deleted.' : checked.problem)}
      </p>
      <Problem text={problem} />
    </form>
  );
}
