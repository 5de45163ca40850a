import { Button, Modal, Select } from '@mantine/core';
import { useState } from 'react';
import { send } from '../graphql/send';
import { useAct } from '../ui/useAct';
import styles from './Experiments.module.css';
import { type ExperimentDetail, experimentsChanged, promoteDocument, stopDocument } from './queries';

/** Ends an experiment, in two steps: the channel goes on with its control, or with the variant that is promoted. */
export function Decide({ experiment }: { experiment: ExperimentDetail }) {
  const [open, setOpen] = useState(false);
  const [variant, setArm] = useState<string | null>(null);
  const { act, busy, problem } = useAct();
  const chosen = experiment.variants.find(({ id }) => id === variant);
  const end = async () => {
    const done = await act(async () => {
      if (chosen) await send(promoteDocument, { id: experiment.id, variant: chosen.id });
      else await send(stopDocument, { id: experiment.id, dryRun: false });
      await experimentsChanged();
    });
    if (done) setOpen(false);
  };
  const version = (chosen ?? experiment.variants[0])?.version;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Stop or promote
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={`End ${experiment.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className={styles.form}>
          <Select
            label="Live version after the experiment"
            placeholder="The control: stop the experiment"
            clearable
            value={variant}
            onChange={setArm}
            data={experiment.variants.map(({ id, key, name }) => ({ value: id, label: `Promote ${name || key}` }))}
          />
          <p>
            {experiment.channel.name} serves{' '}
            {version ? `${version.flow.name} v${version.number}` : 'its previous live version'} to all users from then
            on. The experiment keeps its results and cannot be resumed.
          </p>
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
          <Button loading={busy !== ''} onClick={() => void end()}>
            {chosen ? `Promote ${chosen.name || chosen.key}` : 'Stop the experiment'}
          </Button>
        </div>
      </Modal>
    </>
  );
}
