import { Button, CopyButton, Popover, TextInput } from '@mantine/core';
import { useState } from 'react';
import { previewLinkDocument } from '../../flows/versions/queries';
import { explain } from '../../graphql/problems';
import { send } from '../../graphql/send';
import { localZone } from '../../scope/calendar';
import { formatTime } from '../../ui/format';
import { linkTo } from './link';
import styles from './Preview.module.css';
import { qrOf } from './qr';

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
        {whole && <Code text={whole} />}
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

/** A QR code, dark on light in any theme, with the margin that cameras look for. */
function Code({ text }: { text: string }) {
  const rows = qrOf(text);
  if (!rows) return <p className={styles.none}>The address is too long for a QR code.</p>;
  const size = rows.length + 8;
  const path = rows
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + 4} ${y + 4}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={styles.code} role="img" aria-label="QR code of the link">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
