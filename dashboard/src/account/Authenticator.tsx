import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { DataOf } from '../graphql/graphql';
import { send } from '../graphql/send';
import { Confirm } from '../ui/Confirm';
import formStyles from '../ui/Form.module.css';
import { Problem } from '../ui/Problem';
import { Secret } from '../ui/Secret';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './AccountPage.module.css';
import {
  accountChanged,
  beginTotpDocument,
  confirmTotpDocument,
  removeTotpDocument,
  replaceRecoveryCodesDocument,
  type SecondFactor,
} from './queries';

type Begun = DataOf<'BeginTotp'>['beginTotp'];

/** The authenticator app and the recovery codes. */
export function Authenticator({ factor, fresh }: { factor: SecondFactor; fresh: boolean }) {
  const { act, busy, problem } = useAct();
  const [begun, setBegun] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  const begin = () => act(async () => setBegun((await send(beginTotpDocument, {})).data.beginTotp), 'begin');
  const confirm = (code: string) =>
    act(async () => {
      const { data } = await send(confirmTotpDocument, { code });
      setBegun(undefined);
      setCodes(data.confirmTotp.codes);
      await accountChanged();
    }, 'confirm');
  const replace = () =>
    act(async () => {
      setCodes((await send(replaceRecoveryCodesDocument, {})).data.replaceRecoveryCodes.codes);
      await accountChanged();
    }, 'replace');
  const remove = () =>
    act(async () => {
      await send(removeTotpDocument, {});
      setCodes(undefined);
      await accountChanged();
    }, 'remove');
  return (
    <section className={styles.part}>
      <h2>Authenticator app</h2>
      {factor.totpSince ? (
        <>
          <p>
            On since <When at={factor.totpSince} />. {factor.recoveryCodesLeft} recovery codes left.
          </p>
          {fresh && (
            <div className={formStyles.acts}>
              <Confirm
                meaning="The old codes stop working. Replace?"
                loading={busy === 'replace'}
                act={() => void replace()}
              >
                New recovery codes
              </Confirm>
              <Confirm
                meaning="The password alone will sign in. Remove?"
                loading={busy === 'remove'}
                act={() => void remove()}
              >
                Remove
              </Confirm>
            </div>
          )}
        </>
      ) : (
        <p>An app on your phone shows a code that is asked for after the password.</p>
      )}
      {codes && (
        <Secret name="Recovery codes" value={codes.join('\n')} close={() => setCodes(undefined)}>
          Each signs you in once when you do not have your phone.
        </Secret>
      )}
      {!factor.totpSince && !begun && (
        <Button variant="default" disabled={!fresh} loading={busy === 'begin'} onClick={() => void begin()}>
          Set up
        </Button>
      )}
      {begun && <Enrol begun={begun} busy={busy === 'confirm'} confirm={confirm} cancel={() => setBegun(undefined)} />}
      <Problem text={problem} />
    </section>
  );
}

type EnrolProps = { begun: Begun; busy: boolean; confirm: (code: string) => Promise<unknown>; cancel: () => void };

function Enrol({ begun, busy, confirm, cancel }: EnrolProps) {
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void confirm(code);
  };
  return (
    <form className={styles.enrol} onSubmit={submit}>
      <img src={begun.image} width="180" height="180" alt="QR code for the authenticator app" />
      <div className={styles.form}>
        <p>
          Scan the code with your app, or type this secret: <code>{begun.secret}</code>
        </p>
        <TextInput
          label="Code that the app shows"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={10}
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <div className={formStyles.acts}>
          <Button type="submit" loading={busy}>
            Confirm
          </Button>
          <Button variant="subtle" onClick={cancel}>
            Cancel
          </Button>
        </div>
      </div>
    </form>
  );
}
