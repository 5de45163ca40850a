import { formatExact } from '../ui/format';
import { height, projection, useCountries, width } from './atlas';
import styles from './WorldMap.module.css';

/** Something at a place: its value is the size of its point. */
export type MapPoint = { latitude: number; longitude: number; value: number; name: string };

/** The world in equal-earth projection, with points. */
export function WorldMap({ points }: { points: readonly MapPoint[] }) {
  const countries = useCountries();
  const greatest = Math.max(1, ...points.map(({ value }) => value));
  return (
    <>
      <svg
        className={styles.map}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="World map; a table follows."
      >
        <path d={countries.map(({ path }) => path).join('')} className={styles.land} />
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
          <caption>Visitors by location</caption>
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
