import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { hasPasskeys, isDeclined, makePasskey } from '../app/session/passkeys';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './AccountPage.module.css';
import { PasskeyRow } from './PasskeyRow';
import {
  accountChanged,
  addPasskeyDocument,
  beginPasskeyDocument,
  type Passkey,
  removePasskeyDocument,
} from './queries';

type Props = {
  passkeys: readonly Passkey[];
  fresh: boolean;
  /** Whether the server takes passkeys at its address. */
  offered: boolean;
};

/** The passkeys of the reader. */
export function Passkeys({ passkeys, fresh, offered }: Props) {
  const { act, busy, problem } = useAct();
  const [declined, setDeclined] = useState(false);
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = String(new FormData(form).get('name'));
    setDeclined(false);
    await act(async () => {
      const { data } = await send(beginPasskeyDocument, {});
      let credential: unknown;
      try {
        credential = await makePasskey(data.beginPasskey.options);
      } catch (error) {
        if (!isDeclined(error)) throw error;
        setDeclined(true);
        return;
      }
      await send(addPasskeyDocument, { token: data.beginPasskey.token, name, credential });
      form.reset();
      await accountChanged();
    }, 'add');
  };
  const remove = (id: string) =>
    act(async () => {
      await send(removePasskeyDocument, { id });
      await accountChanged();
    }, id);
  return (
    <section className={styles.part}>
      <h2>Passkeys</h2>
      <p>A passkey signs you in with the lock of your device instead of a password and a code.</p>
      {passkeys.length > 0 && (
        <ul className={styles.rows}>
          {passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              fresh={fresh}
              removing={busy === passkey.id}
              remove={() => void remove(passkey.id)}
            />
          ))}
        </ul>
      )}
      {!offered || !hasPasskeys() ? (
        <p>
          {offered ? 'This browser makes none.' : 'This server makes none: its address needs https and a host name.'}
        </p>
      ) : (
        <form className={styles.inline} onSubmit={add}>
          <TextInput
            name="name"
            aria-label="Name of the passkey"
            placeholder="Work laptop"
            maxLength={80}
            required
            disabled={!fresh}
          />
          <Button type="submit" variant="default" disabled={!fresh} loading={busy === 'add'}>
            Add passkey
          </Button>
        </form>
      )}
      <p role="status">{declined && 'No passkey was made.'}</p>
      <Problem text={problem} />
    </section>
  );
}
