import { Button, TextInput } from '@mantine/core';
import styles from './Alerts.module.css';

type Props = {
  /** What is shown of the webhook that is stored; empty without one. */
  before: string;
  /** What is typed: undefined leaves the stored one, and an empty one takes it away. */
  url: string | undefined;
  change: (url: string | undefined) => void;
  tellsOthers: boolean;
};

/** Where Slack is told of an alert, besides the inbox and email. */
export function ToSlack({ before, url, change, tellsOthers }: Props) {
  if (!tellsOthers) return before ? <p className={styles.quiet}>Also posts to Slack ({before}).</p> : null;
  if (before && url === '') {
    return (
      <p className={styles.quiet}>
        No longer posts to Slack ({before}) once it is saved.{' '}
        <Button variant="subtle" size="compact-xs" onClick={() => change(undefined)}>
          Undo
        </Button>
      </p>
    );
  }
  return (
    <>
      <TextInput
        label="Slack webhook URL"
        description={
          before
            ? `Posts to ${before}. Another URL takes its place.`
            : 'Optional: of an incoming webhook of the Slack channel. Nobody can read it here afterwards.'
        }
        placeholder="https://hooks.slack.com/services/…"
        type="url"
        autoComplete="off"
        value={url ?? ''}
        onChange={({ currentTarget: { value } }) => change(value || undefined)}
      />
      {before && url === undefined && (
        <Button variant="subtle" size="compact-xs" w="fit-content" onClick={() => change('')}>
          Stop posting to Slack
        </Button>
      )}
    </>
  );
}
