import { Button, Modal, NumberInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { send } from '../graphql/send';
import { useAct } from '../ui/useAct';
import styles from './Experiments.module.css';
import { experimentsRoute } from './experiments';
import { choicesQuery, createDocument, experimentsChanged } from './setup';

/** Makes the draft of an experiment: what a channel serves now against another version. */
export function NewExperiment() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New experiment</Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title="New experiment"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Form />
      </Modal>
    </>
  );
}

function Form() {
  const place = experimentsRoute.useParams();
  const navigate = useNavigate();
  const choices = useQuery(choicesQuery(place)).data?.data.app;
  const channels = choices?.environment.channels?.nodes ?? [];
  const [name, setName] = useState('');
  const [channel, setChannel] = useState<string | null>(null);
  const [control, setControl] = useState<string | null>(null);
  const [other, setOther] = useState<string | null>(null);
  const [days, setDays] = useState<number | string>(28);
  const { act, busy, problem } = useAct();
  const versions = (choices?.flows?.nodes ?? [])
    .filter(({ versions }) => versions.nodes.length > 0)
    .map(({ name, versions }) => ({
      group: name,
      items: versions.nodes.map(({ id, number, label }) => ({
        value: id,
        label: `${name} v${number}${label && ` · ${label}`}`,
      })),
    }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const { data } = await send(createDocument, {
        input: {
          channelId: channel!,
          name,
          endsAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
          variants: [
            { key: 'control', name: 'Control', weight: 1, versionId: control },
            { key: 'variant', name: 'Variant', weight: 1, versionId: other },
          ],
        },
      });
      await experimentsChanged();
      await navigate({
        to: '/apps/$app/$environment/experiments/$experiment',
        params: { ...place, experiment: data.createExperiment.id },
      });
    });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label="What it asks"
        placeholder="Does a shorter quiz sell more?"
        required
        maxLength={80}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Channel"
        required
        allowDeselect={false}
        value={channel}
        onChange={(id) => {
          setChannel(id);
          setControl(channels.find((channel) => channel.id === id)?.version?.id ?? control);
        }}
        data={channels.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Select
        label="Control"
        required
        searchable
        allowDeselect={false}
        value={control}
        onChange={setControl}
        data={versions}
      />
      <Select
        label="Against it"
        required
        searchable
        allowDeselect={false}
        value={other}
        onChange={setOther}
        data={versions}
      />
      <NumberInput
        label="Waits for a decision after"
        suffix=" days"
        required
        min={1}
        max={365}
        allowDecimal={false}
        value={days}
        onChange={setDays}
      />
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <Button type="submit" loading={busy !== ''} disabled={!channel || !control || !other}>
        Make the draft
      </Button>
    </form>
  );
}
