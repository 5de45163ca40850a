import { Button, NumberInput, Select, Switch, Textarea } from '@mantine/core';
import type { FormEvent } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { send } from '../graphql/send';
import { useAct } from '../ui/useAct';
import { useDraft } from '../ui/useDraft';
import { type SettingsApp, settingsChanged, updateAppDocument } from './queries';
import styles from './SettingsPage.module.css';

const windows = ['1', '3', '7', '14'].map((value) => ({ value, label: value === '1' ? '1 day' : `${value} days` }));

/** As they are typed. */
type Rules = { origins: string; ignoreBots: boolean; completion: string; purchase: string; lapse: number | string };

/** From where events come and when runs are done: what reports go by. */
export function AppRules({ app, access }: { app: SettingsApp; access: WorkspaceAccess }) {
  const disabled = !may(access, 'APP_SETTINGS');
  const { draft, type, sent } = useDraft<Rules>({
    origins: app.allowedOrigins.join('\n'),
    ignoreBots: app.ignoreBots,
    completion: String(app.completionWindowDays),
    purchase: String(app.purchaseWindowDays),
    lapse: app.lapseMinutes,
  });
  const { origins, ignoreBots, completion, purchase, lapse } = draft;
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      await send(updateAppDocument, {
        input: {
          id: app.id,
          allowedOrigins: origins.split(/\s+/).filter((origin) => origin !== ''),
          ignoreBots,
          completionWindowDays: Number(completion),
          purchaseWindowDays: Number(purchase),
          lapseMinutes: Number(lapse),
        },
      });
      await settingsChanged();
      sent(draft);
    });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Textarea
        label="Allowed origins"
        description="One per line, such as https://www.example.com. Leave empty to allow any."
        autosize
        minRows={2}
        maxRows={8}
        disabled={disabled}
        value={origins}
        onChange={(event) => type({ origins: event.currentTarget.value })}
      />
      <Switch
        label="Ignore known bots"
        disabled={disabled}
        checked={ignoreBots}
        onChange={(event) => type({ ignoreBots: event.currentTarget.checked })}
      />
      <Select
        label="Completion window"
        disabled={disabled}
        allowDeselect={false}
        data={windows}
        value={completion}
        onChange={(value) => value && type({ completion: value })}
      />
      <Select
        label="Purchase attribution window"
        disabled={disabled}
        allowDeselect={false}
        data={windows}
        value={purchase}
        onChange={(value) => value && type({ purchase: value })}
      />
      <NumberInput
        label="Run timeout"
        suffix=" minutes of inactivity"
        min={5}
        max={1440}
        allowDecimal={false}
        disabled={disabled}
        value={lapse}
        onChange={(lapse) => type({ lapse })}
      />
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      {!disabled && (
        <Button type="submit" loading={busy !== ''}>
          Save
        </Button>
      )}
    </form>
  );
}
