import { localZone } from '../../scope/calendar';
import { formatTime } from '../../ui/format';
import styles from './LivePage.module.css';
import type { Live } from './live';

/** People a minute; the last minute is not over. */
export function MinuteBars({ minutes }: { minutes: Live['minutes'] }) {
  const greatest = Math.max(1, ...minutes.map(({ visitors }) => visitors));
  return (
    <>
      <div className={styles.bars} aria-hidden="true">
        {minutes.map(({ minute, visitors, hits }) => (
          <span
            key={minute}
            style={{ height: `${(visitors / greatest) * 100}%` }}
            title={`${visitors} people, ${hits} hits`}
          />
        ))}
      </div>
      <div className="reader">
        <table>
          <caption>People and hits a minute</caption>
          <tbody>
            {minutes.map(({ minute, visitors, hits }) => (
              <tr key={minute}>
                <th scope="row">{formatTime(minute, localZone(), { hour: '2-digit', minute: '2-digit' })}</th>
                <td>{visitors}</td>
                <td>{hits}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
