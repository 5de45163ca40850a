import { Select } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { languageName } from '../../editor/locales';
import { useLook } from '../preview/look';
import { localesOf, screensOf } from '../preview/manifest';
import { ScreenFrame } from '../preview/ScreenFrame';
import styles from './Versions.module.css';

type Props = {
  manifest: unknown;
  /** Whether it is the draft, whose screens are edited; those of a version are read. */
  draft: boolean;
  locale: string | undefined;
  setLocale: (locale: string) => void;
};

const versionsRoute = getRouteApi('/apps/$app/$environment/flows/$flow/versions');

/** Every screen of a version, side by side, in one of its languages. */
export function Screens({ manifest, draft, locale, setLocale }: Props) {
  const place = versionsRoute.useParams();
  const screens = useMemo(() => screensOf(manifest), [manifest]);
  const locales = localesOf(manifest);
  const shown = locale && locales.includes(locale) ? locale : locales[0];
  if (screens.length === 0)
    return (
      <p className={styles.none}>
        No screens yet.{' '}
        {draft && (
          <Link to="/apps/$app/$environment/flows/$flow/edit" params={place} search={{}}>
            Add the first one
          </Link>
        )}
      </p>
    );
  return (
    <>
      {locales.length > 1 && (
        <Select
          aria-label="Language of the screens"
          w={140}
          mb="md"
          value={shown}
          onChange={(value) => value && setLocale(value)}
          allowDeselect={false}
          data={locales.map((value) => ({ value, label: languageName(value) }))}
        />
      )}
      <ul className={styles.screens}>
        {screens.map(({ id, name }) => (
          <li key={id}>
            <Screen manifest={manifest} id={id} name={name} locale={shown} />
            {draft ? (
              <Link to="/apps/$app/$environment/flows/$flow/edit" params={place} search={{ screen: id }}>
                {name}
              </Link>
            ) : (
              <Link
                from="/apps/$app/$environment/flows/$flow/versions"
                to="."
                search={(before) => ({ ...before, as: 'json' as const, at: `/screens/${indexOf(manifest, id)}` })}
              >
                {name}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

type ScreenProps = {
  manifest: unknown;
  id: string;
  name: string;
  locale?: string | undefined;
  width?: number;
  /** Layers to outline. */
  marks?: readonly string[];
};

export function Screen({ manifest, id, name, locale, width = 210, marks }: ScreenProps) {
  const look = useLook(manifest);
  const shown = useMemo(
    () => look && { ...look, manifest, screen: id, ...(locale && { locale }), ...(marks && { marks }) },
    [look, manifest, id, locale, marks],
  );
  return <ScreenFrame shown={shown} name={`Screen ${name}`} width={width} />;
}

const indexOf = (manifest: unknown, id: string) =>
  (manifest as { screens: { id: string }[] }).screens.findIndex((screen) => screen.id === id);
