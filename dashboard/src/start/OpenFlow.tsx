import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { examplePath } from '../app/example';
import type { Progress } from './queries';
import { Snippets } from './Snippets';
import styles from './Start.module.css';

const startRoute = getRouteApi('/apps/$app/$environment/start');

/** Opens what a channel serves in the real SDK, and says how the app shows it. */
export function OpenFlow({ serving, publishableKey }: Pick<Progress, 'serving' | 'publishableKey'>) {
  const { app, environment } = startRoute.useParams();
  const [open, setOpen] = useState(false);
  if (!serving || !publishableKey) return <p>Publish a flow to a channel first.</p>;
  const address = `/try.html?${new URLSearchParams({ app, environment, channel: serving.id })}`;
  return (
    <div className={styles.open}>
      <div className={styles.body}>
        <p>
          Go through it as a new user would, in the SDK itself.{' '}
          {environment === 'test'
            ? 'Your run is counted in the test environment.'
            : 'Your run is counted in the live environment.'}
        </p>
        <div className={styles.acts}>
          <Button onClick={() => setOpen(true)} disabled={open}>
            Open here
          </Button>
          <Button variant="default" component="a" href={address} target="_blank" rel="noreferrer">
            Open in a new tab
          </Button>
          {examplePath && (
            <Button variant="default" component="a" href={examplePath} target="_blank" rel="noreferrer">
              Open example app
            </Button>
          )}
        </div>
        <p>In your app it is a component:</p>
        <Snippets publishableKey={publishableKey} channel={serving.id} />
      </div>
      {open && <iframe className={styles.phone} src={address} title={`${serving.name}, in the SDK`} />}
    </div>
  );
}
