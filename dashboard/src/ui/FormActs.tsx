import { Button } from '@mantine/core';
import { Confirm } from './Confirm';
import styles from './Form.module.css';
import type { useAct } from './useAct';

type Props = Pick<ReturnType<typeof useAct>, 'act' | 'busy'> & {
  /** What the button that saves says. */
  save: string;
  disabled: boolean;
  /** Deletes what all members share; undefined for what is not there yet. */
  remove?: () => Promise<unknown>;
  removed?: () => void;
};

/** The buttons below a form of what all members share: one saves it, one deletes it. */
export function FormActs({ act, busy, save, disabled, remove, removed }: Props) {
  return (
    <div className={styles.acts}>
      <Button type="submit" loading={busy === 'save'} disabled={disabled}>
        {save}
      </Button>
      {remove && (
        <Confirm
          meaning="Delete for all members"
          loading={busy === 'delete'}
          act={() => void act(remove, 'delete').then((gone) => gone && removed?.())}
        >
          Delete…
        </Confirm>
      )}
    </div>
  );
}
