import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';

import { exampleNames, examplePictures, exampleQuery, withPictures } from '../flows/list/examples';
import { createFlowDocument } from '../flows/list/queries';
import { useLook } from '../flows/preview/look';
import { screensOf } from '../flows/preview/manifest';
import { ScreenFrame } from '../flows/preview/ScreenFrame';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import form from '../ui/Form.module.css';
import { useAct } from '../ui/useAct';
import { type Progress, startChanged } from './queries';
import styles from './Start.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');
const startRoute = getRouteApi('/apps/$app/$environment/start');

/** Chooses what the first flow begins with. */
export function BeginFlow({ flow }: Pick<Progress, 'flow'>) {
  const place = startRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const { run, busy, problem } = useAct();
  if (flow) {
    return (
      <p>
        <Link to="/apps/$app/$environment/flows/$flow/versions" params={{ ...place, flow: flow.id }}>
          {flow.name}
        </Link>{' '}
        is ready.
      </p>
    );
  }
  const begin = ({ value, name }: (typeof exampleNames)[number]) =>
    run(async () => {
      const manifest = await withPictures(await queryClient.fetchQuery(exampleQuery(value)), access.workspace.id);
      await send(createFlowDocument, { app: place.app, name, manifest });
      await queryClient.invalidateQueries({ queryKey: ['Flows'] });
      await startChanged();
    }, value);
  return (
    <>
      <p>Start from one of these: you can change all texts, screens and colors.</p>
      <ul className={styles.examples}>
        {exampleNames.map((example) => (
          <li key={example.value}>
            <Picture {...example} />
            <b>{example.name}</b>
            <small>{example.about}</small>
            <Button
              variant="default"
              loading={busy === example.value}
              disabled={busy !== ''}
              onClick={() => void begin(example)}
              aria-label={`Start from ${example.name}`}
            >
              Use this example
            </Button>
          </li>
        ))}
      </ul>
      <p role="alert" className={form.problem}>
        {problem}
      </p>
    </>
  );
}

function Picture({ value, name }: (typeof exampleNames)[number]) {
  const look = useLook();
  const { data: manifest } = useQuery(exampleQuery(value));
  const shown = useMemo(() => {
    const screen = screensOf(manifest)[0]?.id;
    return look && manifest && screen ? { ...look, mediaMap: examplePictures, manifest, screen } : undefined;
  }, [look, manifest]);
  return <ScreenFrame shown={shown} name={`First screen of ${name}`} width={132} />;
}
