import { Button, Drawer } from '@mantine/core';
import { useState } from 'react';
import type { SharedReport } from '../graphql/schema.gen';
import { CopyBlock } from '../ui/CopyBlock';
import formStyles from '../ui/Form.module.css';
import { embedCode } from './embedCode';
import { Links } from './Links';
import { NewLink } from './NewLink';
import styles from './ShareDialog.module.css';

type Made = { address: string; name: string; framed: boolean };

/** Makes links to reports, and shows and ends those that there are. */
export function ShareDialog({ report, close }: { report: SharedReport; close: () => void }) {
  const [made, setMade] = useState<Made>();
  return (
    <Drawer
      opened
      onClose={close}
      title="Share reports"
      position="right"
      size="md"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={styles.parts}>
        {made ? <Address {...made} again={() => setMade(undefined)} /> : <NewLink report={report} done={setMade} />}
        <Links />
      </div>
    </Drawer>
  );
}

/** The address of a new link, which is shown this once. */
function Address({ address, name, framed, again }: Made & { again: () => void }) {
  return (
    <section className={styles.made} role="status">
      <b>Copy the link now, it is shown only once.</b>
      <CopyBlock name="Link" text={address} />
      {framed && (
        <>
          <p>To embed the reports, put this into the page:</p>
          <CopyBlock name="Embed code" text={embedCode(address, name)} />
        </>
      )}
      <div className={formStyles.acts}>
        <Button variant="default" component="a" href={address} target="_blank" rel="noreferrer">
          Open link
        </Button>
        <Button variant="subtle" onClick={again}>
          Create another link
        </Button>
      </div>
    </section>
  );
}
