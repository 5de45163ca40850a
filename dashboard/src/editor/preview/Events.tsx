import { countOf } from '../../ui/format';
import { useEditing } from '../useEditor';
import styles from './Preview.module.css';
import type { Told } from './port';
import { stepName } from './words';

/** The events that an app would send, the latest first, each with its JSON. */
export function Events({ told: { events, dropped } }: { told: Told }) {
  const { editor } = useEditing();
  return (
    <>
      <p className={styles.none}>An app sends these to Svc. A preview sends nothing.</p>
      <ol className={styles.list} reversed>
        {events.toReversed().map((event) => (
          <li key={event.eventId}>
            <details>
              <summary>
                <code>{event.name}</code>
                {event.stepId && <span>{stepName(editor.document, event.stepId)}</span>}
              </summary>
              <pre>{JSON.stringify(event, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
      {dropped > 0 && <p className={styles.none}>{countOf(dropped, 'earlier event')} not kept.</p>}
    </>
  );
}
