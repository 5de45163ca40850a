import { Button, Modal, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import type { Place } from '../../scope/scope';
import { Problem } from '../../ui/Problem';
import { useAct } from '../../ui/useAct';
import { CopiedFlow } from './Copied';
import { type Copied, copyFlowDocument } from './queries';
import styles from './Transfer.module.css';

type App = { id: string; name: string };

type Props = {
  place: Place & { flow: string };
  name: string;
  /** Those of the workspace. */
  apps: readonly App[];
  close: () => void;
};

/** Copies a flow to an app of its workspace, under a name. */
export function CopyFlow({ place, name: own, apps, close }: Props) {
  const others = apps.filter(({ id }) => id !== place.app);
  const [app, setApp] = useState(others.length === 1 ? others[0]!.id : null);
  const [name, setName] = useState(own);
  const [copied, setCopied] = useState<Copied>();
  const { run, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!app) return;
    const made = await run(async () => (await send(copyFlowDocument, { flow: place.flow, app, name })).data.copyFlow);
    if (made) setCopied(made);
    await queryClient.invalidateQueries({ queryKey: ['Flows'] });
  };
  return (
    <Modal opened onClose={close} title="Copy to another app" closeButtonProps={{ 'aria-label': 'Close' }}>
      {copied && app ? (
        <CopiedFlow
          copied={copied}
          app={apps.find(({ id }) => id === app)!.name}
          place={{ ...place, app }}
          page="versions"
        />
      ) : others.length === 0 ? (
        <p className={styles.note}>
          This workspace has no other app. To bring the flow to another workspace, export it and import the file there.
        </p>
      ) : (
        <form className={styles.form} onSubmit={(event) => void submit(event)}>
          <Select
            label="App"
            placeholder="Choose an app"
            required
            searchable={others.length > 8}
            allowDeselect={false}
            value={app}
            onChange={setApp}
            data={others.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <TextInput
            label="Name"
            required
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <p className={styles.note}>
            The new flow begins as this one’s draft; later changes to one do not reach the other. Media are the
            workspace’s, so both show the same files. Fonts that the app lacks are added to its branding if you may
            change it; gradients become those of the same name. Versions, channels and numbers stay here.
          </p>
          <Problem text={problem} />
          <Button type="submit" loading={busy !== ''} disabled={!app || name.trim() === ''}>
            Copy flow
          </Button>
        </form>
      )}
    </Modal>
  );
}
