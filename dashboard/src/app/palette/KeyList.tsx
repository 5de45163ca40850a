import { Modal } from '@mantine/core';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { useAllActs } from '../acts';
import styles from './Palette.module.css';

/** Keys as they are written on a keyboard, where that is no name of theirs. */
const signs: Partial<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

export const written = (keys: string | undefined) => (keys && signs[keys]) ?? keys;

/** Every key of the page. */
export function KeyList({ close }: { close: () => void }) {
  useReturnFocus();
  const acts = useAllActs().filter(({ keys }) => keys);
  const groups = [...new Set(acts.map(({ group }) => group))];
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className={styles.groups}>
        {groups.map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <dl>
              {acts
                .filter((act) => act.group === group)
                .map(({ id, name, keys }) => (
                  <div key={id}>
                    <dt>{name}</dt>
                    <dd>
                      <kbd>{written(keys)}</kbd>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
