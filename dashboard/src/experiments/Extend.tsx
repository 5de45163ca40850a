import { Button, NumberInput, Popover } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Experiments.module.css';
import { type ExperimentDetail, experimentsChanged, extendDocument } from './queries';

/** Moves the end of an experiment: one that waits for a decision runs again. */
export function Extend({ experiment }: { experiment: ExperimentDetail }) {
  const [open, setOpen] = useState(false);
  const [days, setDays] = useState<number | string>(14);
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await act(async () => {
      const endsAt = new Date(Date.now() + Number(days) * 86_400_000).toISOString();
      await send(extendDocument, { id: experiment.id, endsAt });
      await experimentsChanged();
    });
    if (done) setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!open)}>
          Extend
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form className={styles.form} onSubmit={submit}>
          <NumberInput
            label="New end"
            description={experiment.endsAt && `Currently ends on ${new Date(experiment.endsAt).toLocaleDateString()}`}
            suffix=" days from now"
            required
            min={1}
            max={365}
            allowDecimal={false}
            value={days}
            onChange={setDays}
          />
          <Problem text={problem} />
          <Button type="submit" loading={busy !== ''}>
            Set end date
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
