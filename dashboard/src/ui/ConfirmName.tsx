import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import styles from './Form.module.css';
import { Problem } from './Problem';
import { useAct } from './useAct';

type Props = {
  /** What is done, as its button says: `Archive`. */
  act: string;
  /** What it is done to; typed by the reader, so that nobody does it by a slip. */
  name: string;
  /** What happens then. */
  children: string;
  change: () => Promise<unknown>;
};

/** A button of an act that cannot be taken back. */
export function ConfirmName({ act, name, children, change }: Props) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const { busy, problem, act: run } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(change)) setOpen(false);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {act}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={`${act} ${name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <form className={styles.confirm} onSubmit={submit}>
          <p>{children}</p>
          <TextInput
            label={`Type ${name} to confirm`}
            value={typed}
            data-autofocus
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
          <Problem text={problem} />
          <div className={styles.acts}>
            <Button type="submit" color="red" loading={busy !== ''} disabled={typed !== name}>
              {act}
            </Button>
            <Button variant="subtle" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
