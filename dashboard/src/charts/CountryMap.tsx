import type { MouseEvent } from 'react';
import { countryName, type FigureKind, formatExact, formatShort } from '../ui/format';
import { height, useCountries, width } from './atlas';
import styles from './CountryMap.module.css';
import { shadeOf } from './geometry';

type Props = {
  title: string;
  kind: FigureKind;
  /** Values by the two letters of ISO 3166-1. A country without one is land. */
  values: ReadonlyMap<string, number>;
  /** A country was clicked; everything but it, with the alternate key. */
  pick: (code: string, exclude: boolean) => void;
};

/** The countries of the world, the darker the greater their value. Whoever cannot see it has the table of the page. */
export function CountryMap({ title, kind, values, pick }: Props) {
  const countries = useCountries();
  const greatest = Math.max(0, ...values.values());
  return (
    <figure className={styles.figure}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}; a table follows.`}>
        {countries.map(({ code, name, path }) => {
          const value = code === undefined ? undefined : values.get(code);
          const shade = value === undefined ? 0 : shadeOf(value, greatest);
          if (code === undefined || value === undefined || shade === 0)
            return <path key={name} d={path} className={styles.land} />;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the rows of the table do the same by the keyboard
            <path
              key={name}
              d={path}
              className={styles.country}
              fillOpacity={shade}
              onClick={(event: MouseEvent) => pick(code, event.altKey)}
            >
              <title>
                {countryName(code)}: {formatExact(value, kind)}
              </title>
            </path>
          );
        })}
      </svg>
      {greatest > 0 && (
        <figcaption className={styles.legend} aria-hidden="true">
          <span>{formatShort(0, kind)}</span>
          <i />
          <span>{formatShort(greatest, kind)}</span>
        </figcaption>
      )}
    </figure>
  );
}
