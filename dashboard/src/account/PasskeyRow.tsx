import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { send } from '../graphql/send';
import { Confirm } from '../ui/Confirm';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './AccountPage.module.css';
import { accountChanged, type Passkey, renamePasskeyDocument } from './queries';

type Props = { passkey: Passkey; fresh: boolean; removing: boolean; remove: () => void };

/** A passkey of the reader, to rename or to remove. */
export function PasskeyRow({ passkey, fresh, removing, remove }: Props) {
  const { name, createdAt, lastUsedAt, cloned } = passkey;
  const [renaming, setRenaming] = useState(false);
  return (
    <li>
      <div>
        {renaming ? <RenamePasskey passkey={passkey} done={() => setRenaming(false)} /> : <b>{name}</b>}
        <small>
          Added <When at={createdAt} />
          {lastUsedAt && (
            <>
              {' '}
              · last used <When at={lastUsedAt} />
            </>
          )}
        </small>
        {cloned && (
          <p className={styles.warning}>
            It may have been copied: its counter went back. It no longer signs you in. Remove it.
          </p>
        )}
      </div>
      {!renaming && (
        <div className={styles.inline}>
          <Button variant="subtle" size="compact-sm" aria-label={`Rename ${name}`} onClick={() => setRenaming(true)}>
            Rename
          </Button>
          {fresh && (
            <Confirm meaning="It no longer signs you in. Remove?" loading={removing} act={remove}>
              Remove
            </Confirm>
          )}
        </div>
      )}
    </li>
  );
}

function RenamePasskey({ passkey: { id, name }, done }: { passkey: Passkey; done: () => void }) {
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = String(new FormData(event.currentTarget).get('name'));
    const renamed = await act(async () => {
      await send(renamePasskeyDocument, { id, name: next });
      await accountChanged();
    });
    if (renamed) done();
  };
  return (
    <form
      className={styles.inline}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') done();
      }}
    >
      <TextInput name="name" aria-label="Name of the passkey" defaultValue={name} maxLength={80} required autoFocus />
      <Button type="submit" variant="default" loading={busy !== ''}>
        Save
      </Button>
      <Button variant="subtle" onClick={done}>
        Cancel
      </Button>
      <Problem text={problem} />
    </form>
  );
}
