import { geoEqualEarth, geoPath } from 'd3-geo';
import { useEffect, useState } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlasUrl from 'world-atlas/countries-110m.json?url';
import { formatExact } from '../ui/format';
import styles from './WorldMap.module.css';

/** Something at a place: its value is the size of its point. */
export type MapPoint = { latitude: number; longitude: number; value: number; name: string };

const width = 960;
const height = 420;
// Fitted to where people live: the ice of the south is left out.
const projection = geoEqualEarth().fitExtent(
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
let land: Promise<string> | undefined;
const drawLand = () => {
  land ??= fetch(atlasUrl)
    .then((answer) => answer.json())
    .then((atlas: Topology<{ countries: GeometryCollection }>) => {
      const path = geoPath(projection);
      return feature(atlas, atlas.objects.countries)
        .features.filter(({ properties }) => (properties as { name?: string }).name !== 'Antarctica')
        .map((country) => path(country) ?? '')
        .join('');
    });
  return land;
};

/** The world in equal-earth projection, with points. */
export function WorldMap({ points }: { points: readonly MapPoint[] }) {
  const [shape, setShape] = useState('');
  useEffect(() => {
    let gone = false;
    void drawLand().then((shape) => !gone && setShape(shape));
    return () => {
      gone = true;
    };
  }, []);
  const greatest = Math.max(1, ...points.map(({ value }) => value));
  return (
    <>
      <svg
        className={styles.map}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="World map; a table follows."
      >
        <path d={shape} className={styles.land} />
        {points.map(({ latitude, longitude, value, name }) => {
          const at = projection([longitude, latitude]);
          if (!at) return null;
          return (
            <g
              key={`${latitude} ${longitude} ${name}`}
              transform={`translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`}
            >
              <circle r={4 + 10 * Math.sqrt(value / greatest)} className={styles.halo} />
              <circle r="3" className={styles.point}>
                <title>
                  {name}: {formatExact(value, 'count')}
                </title>
              </circle>
            </g>
          );
        })}
      </svg>
      <div className="reader">
        <table>
          <caption>People by place</caption>
          <tbody>
            {points.map(({ latitude, longitude, name, value }) => (
              <tr key={`${latitude} ${longitude} ${name}`}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
