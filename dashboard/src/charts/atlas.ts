import { geoEqualEarth, geoPath } from 'd3-geo';
import { useEffect, useState } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlasUrl from 'world-atlas/countries-110m.json?url';
import { countryCodes } from './countries';

/** A country as it is drawn: without a code, where ISO 3166 has none for it. */
export type Country = { code: string | undefined; name: string; path: string };

export const width = 960;
export const height = 420;

/** Fitted to where people live: the ice of the south is left out. */
export const projection = geoEqualEarth().fitExtent(
  [
    [8, 8],
    [width - 8, height - 8],
  ],
  {
    type: 'MultiPoint',
    coordinates: [
      [-168, 0],
      [180, 0],
      [0, 79],
      [0, -56],
    ],
  },
);

// Drawn once, whatever page shows it: the shapes of the countries never change.
let countries: Promise<readonly Country[]> | undefined;
function drawCountries() {
  countries ??= fetch(atlasUrl)
    .then((answer) => answer.json())
    .then((atlas: Topology<{ countries: GeometryCollection<{ name: string }> }>) => {
      const path = geoPath(projection);
      return feature(atlas, atlas.objects.countries)
        .features.filter(({ properties }) => properties.name !== 'Antarctica')
        .map((shape) => ({
          code: shape.properties.name === 'Kosovo' ? 'XK' : countryCodes.get(String(shape.id)),
          name: shape.properties.name,
          path: path(shape) ?? '',
        }));
    });
  return countries;
}

/** The countries; none until they are there. */
export function useCountries(): readonly Country[] {
  const [drawn, setDrawn] = useState<readonly Country[]>([]);
  useEffect(() => {
    let gone = false;
    void drawCountries().then((countries) => !gone && setDrawn(countries));
    return () => {
      gone = true;
    };
  }, []);
  return drawn;
}
