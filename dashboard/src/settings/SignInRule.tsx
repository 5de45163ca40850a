import { Select } from '@mantine/core';
import { may, type WorkspaceAccess } from '../app/session/session';
import type { SignInRule as Rule } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { type SettingsWorkspace, setSignInRuleDocument, settingsChanged } from './queries';
import styles from './SettingsPage.module.css';

const rules: { value: Rule; label: string }[] = [
  { value: 'ANY', label: 'Any sign-in' },
  { value: 'SECOND_FACTOR', label: 'Second factor: passkey or code' },
  { value: 'PROVIDER', label: 'OpenID provider only; the owner may do without' },
];

/** What the workspace asks of the sessions of its members. */
export function SignInRule({ workspace, access }: { workspace: SettingsWorkspace; access: WorkspaceAccess }) {
  const { act, busy, problem } = useAct();
  const change = (rule: Rule) =>
    void act(async () => {
      await send(setSignInRuleDocument, { workspace: workspace.id, rule });
      await settingsChanged();
    });
  return (
    <div className={styles.form}>
      <Select
        label="Required sign-in"
        description="Members without it are shut out at once, and asked for it when they open the dashboard. API keys go on."
        value={workspace.signInRule}
        data={rules}
        allowDeselect={false}
        disabled={busy !== '' || !may(access, 'WORKSPACE_MANAGE')}
        onChange={(rule) => change(rule as Rule)}
      />
      <Problem text={problem} />
    </div>
  );
}
