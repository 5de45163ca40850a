import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';

import { may } from '../app/session/session';
import { send } from '../graphql/send';
import { Card } from '../ui/Card';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { AppIcon } from './AppIcon';
import styles from './Branding.module.css';
import { type Brand, readBrand } from './brand';
import { Colors } from './Colors';
import { Fonts } from './Fonts';
import { Gradients } from './Gradients';
import { brandingChanged, brandingQuery, saveDocument } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');

/** What flows of the app look like by default: its icon, colors, gradients and fonts. */
export function BrandingPage() {
  const { app, access } = appRoute.useRouteContext();
  const answer = useQuery(brandingQuery(app.id));
  const [changed, setChanged] = useState<Brand>();
  const { busy, problem, run } = useAct();
  const editable = may(access, 'APP_SETTINGS');
  const save = () =>
    run(async () => {
      await send(saveDocument, { app: app.id, branding: changed });
      await brandingChanged();
      setChanged(undefined);
    });
  return (
    <>
      <div className={styles.head}>
        <h1>Branding</h1>
        {changed && (
          <>
            <Button variant="subtle" onClick={() => setChanged(undefined)}>
              Discard changes
            </Button>
            <Button loading={busy !== ''} onClick={() => void save()}>
              Save branding
            </Button>
          </>
        )}
      </div>
      <Problem text={problem} />
      <Card
        title={`${app.name}, both environments`}
        answer={answer}
        part={({ app }) => app}
        path="app"
        waiting={{ height: 480 }}
      >
        {({ branding }) => {
          const brand = changed ?? readBrand(branding);
          const change = (changes: Partial<Brand>) => setChanged({ ...brand, ...changes });
          return (
            <fieldset className={styles.parts} disabled={!editable} aria-label="Branding">
              <AppIcon brand={brand} change={change} editable={editable} access={access} />
              <Colors brand={brand} change={change} editable={editable} />
              <Gradients brand={brand} change={change} editable={editable} />
              <Fonts brand={brand} change={change} editable={editable} access={access} />
            </fieldset>
          );
        }}
      </Card>
    </>
  );
}

export type PartProps = { brand: Brand; change: (changes: Partial<Brand>) => void; editable: boolean };
