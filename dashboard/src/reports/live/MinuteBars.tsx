import { localZone } from '../../scope/calendar';
import { countOf, formatShort, formatTime } from '../../ui/format';
import styles from './LivePage.module.css';
import type { Live } from './queries';

const clock = (at: string) => formatTime(at, localZone(), { hour: '2-digit', minute: '2-digit' });

/** Visitors per minute; the last minute is not over. */
export function MinuteBars({ minutes }: { minutes: Live['minutes'] }) {
  const greatest = Math.max(1, ...minutes.map(({ visitors }) => visitors));
  return (
    <>
      <div className={styles.scale} aria-hidden="true">
        <span>{formatShort(greatest, 'count')}</span>
      </div>
      <div className={styles.bars} aria-hidden="true">
        {minutes.map(({ minute, visitors, events }) => (
          <span
            key={minute}
            style={{ height: `${(visitors / greatest) * 100}%` }}
            title={`${clock(minute)}: ${visitors === 1 ? '1 visitor' : `${visitors} visitors`}, ${countOf(events, 'event')}`}
          />
        ))}
      </div>
      <div className={styles.times} aria-hidden="true">
        {[0, 10, 20].map((i) => minutes[i] && <span key={i}>{clock(minutes[i].minute)}</span>)}
        <span>now</span>
      </div>
      <div className="reader">
        <table>
          <caption>Visitors and events per minute</caption>
          <tbody>
            {minutes.map(({ minute, visitors, events }) => (
              <tr key={minute}>
                <th scope="row">{clock(minute)}</th>
                <td>{visitors}</td>
                <td>{events}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
