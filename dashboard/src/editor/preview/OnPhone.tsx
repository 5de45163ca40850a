import { Button, CopyButton, Popover, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { previewLinkDocument } from '../../flows/versions/queries';
import { explain } from '../../graphql/problems';
import { send } from '../../graphql/send';
import { localZone } from '../../scope/calendar';
import { formatTime } from '../../ui/format';
import { linkTo } from './link';
import styles from './Preview.module.css';

const Code = lazy(async () => ({ default: (await import('./Code')).Code }));

type Link = { token: string; expiresAt: string };

/** A link that runs the draft in an app, and a code of it for the camera of a phone. */
export function OnPhone({ flow }: { flow: string }) {
  const [link, setLink] = useState<Link>();
  const [problem, setProblem] = useState('');
  const [address, setAddress] = useState('');
  const make = async () => {
    setProblem('');
    try {
      const { data } = await send(previewLinkDocument, { flow, version: undefined });
      setLink(data.createPreviewLink);
    } catch (error) {
      setProblem(explain(error).detail);
    }
  };
  const whole = link && linkTo(address, link.token);
  return (
    <Popover position="bottom-end" width={300} trapFocus returnFocus onOpen={() => void make()}>
      <Popover.Target>
        <Button variant="default" size="xs">
          On a phone
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.person} aria-label="On a phone">
        <TextInput
          label="Address of your app"
          placeholder="https://example.com or myapp://"
          size="xs"
          maxLength={500}
          value={address}
          onChange={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <p role="alert" className={styles.said}>
          {problem}
        </p>
        {whole && (
          <Suspense fallback={<div className={styles.code} />}>
            <Code text={whole} />
          </Suspense>
        )}
        {link && (
          <>
            <code className={styles.link}>{whole ?? `?svc.preview=${link.token}`}</code>
            <CopyButton value={whole ?? `?svc.preview=${link.token}`}>
              {({ copied, copy }) => (
                <Button size="xs" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
            <p className={styles.none}>
              Runs the saved draft in an app that has the key of its test environment, until{' '}
              {formatTime(link.expiresAt, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}. Nothing is
              recorded.
            </p>
          </>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
