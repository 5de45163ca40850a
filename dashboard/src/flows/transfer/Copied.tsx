import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Place } from '../../scope/scope';
import type { Copied } from './queries';
import styles from './Transfer.module.css';

const kinds = { FILE: 'File', FONT: 'Font', GRADIENT: 'Gradient' } as const;

type Props = {
  copied: Copied;
  app: string;
  place: Place;
  /** The page of the flow that the way there leads to. */
  page: 'versions' | 'edit';
};

/** What has come with a flow that was made of one of elsewhere, what its app lacks, and the way there. */
export function CopiedFlow({ copied, app, place, page }: Props) {
  const { flow, fontsAdded, missing } = copied;
  return (
    <div className={styles.form}>
      <p role="status">
        “{flow.name}” is in {app}.
        {fontsAdded.length > 0 &&
          ` Its branding has got the ${fontsAdded.length === 1 ? 'font' : 'fonts'} ${fontsAdded.join(', ')}.`}
      </p>
      {missing.length > 0 && (
        <section className={styles.missing} aria-label={`What ${app} does not have`}>
          <p>{app} does not have these. Add them, or choose others, before you publish.</p>
          <ul>
            {missing.map(({ kind, name }) => (
              <li key={`${kind} ${name}`}>
                {kinds[kind]} <b>{name}</b>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Button
        component={Link}
        to={`/apps/$app/$environment/flows/$flow/${page}`}
        params={{ ...place, flow: flow.id } as never}
        className={styles.open}
      >
        Open the flow
      </Button>
    </div>
  );
}
