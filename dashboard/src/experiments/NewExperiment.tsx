import { Button, Modal, NumberInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { ExperimentSplitBy } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { useAct } from '../ui/useAct';
import styles from './Experiments.module.css';
import { choicesQuery, createDocument, experimentsChanged, versionsOf } from './queries';
import { SplitBy } from './SplitBy';
import { Variants } from './Variants';
import { firstVariants, lacks, toInput, type Variant } from './variants';

const experimentsRoute = getRouteApi('/apps/$app/$environment/experiments');

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
        size="lg"
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
  const [variants, setVariants] = useState<readonly Variant[]>(firstVariants);
  const [splitBy, setSplitBy] = useState<ExperimentSplitBy>('DEVICE');
  const [days, setDays] = useState<number | string>(28);
  const { act, busy, problem } = useAct();
  const lacking = lacks(variants);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const { data } = await send(createDocument, {
        input: {
          channelId: channel!,
          name,
          splitBy,
          endsAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
          variants: toInput(variants),
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
        label="Hypothesis"
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
          const served = channels.find((channel) => channel.id === id)?.version?.id;
          if (served)
            setVariants(
              variants.map((variant, position) => (position === 0 ? { ...variant, versionId: served } : variant)),
            );
        }}
        data={channels.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Variants variants={variants} versions={versionsOf(choices)} change={setVariants} />
      <SplitBy value={splitBy} change={setSplitBy} />
      <NumberInput
        label="Planned duration"
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
      <Button type="submit" loading={busy !== ''} disabled={!channel || lacking !== undefined} title={lacking}>
        Create draft
      </Button>
    </form>
  );
}
