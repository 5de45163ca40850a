import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { Problem } from '../ui/Problem';
import { Secret } from '../ui/Secret';
import { useAct } from '../ui/useAct';
import styles from './Automations.module.css';
import { automationsChanged, createEndpointDocument } from './queries';

/** Adds an address that gets messages, and says its secret. */
export function NewEndpoint({ place }: { place: Place }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const { busy, problem, run } = useAct();
  const close = () => {
    setOpen(false);
    setSecret('');
    setName('');
    setUrl('');
    void automationsChanged();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await run(() =>
      send(createEndpointDocument, { app: place.app, environment: kindOf(place.environment), name, url }),
    );
    if (made) setSecret(made.data.createWebhookEndpoint.secret);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        New destination
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title="New destination"
        closeOnClickOutside={!secret}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {secret ? (
          <Secret name="Secret" value={secret} close={close}>
            Messages are signed as the Standard Webhooks specification says. Your server verifies them with this secret.
          </Secret>
        ) : (
          <form className={styles.form} onSubmit={submit}>
            <TextInput
              label="Name"
              required
              maxLength={80}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <TextInput
              label="URL"
              description="Your server must answer 2xx within 15 seconds; otherwise the message is retried for three days."
              placeholder="https://example.com/hooks"
              type="url"
              required
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
            <Problem text={problem} />
            <Button type="submit" loading={busy !== ''}>
              Add
            </Button>
          </form>
        )}
      </Modal>
    </>
  );
}
