import { useSvcPrefetch } from '@svc/react';
import type { ReactNode } from 'react';
import type { LogLine } from './log';
import { goTo } from './router';
import type { DevService } from './service';

interface DrawerProps {
  service: DevService;
  lines: readonly LogLine[];
  /** What the last run came to. */
  snapshot: unknown;
  /** The controls of the bar, which a small window has no room for. */
  settings: ReactNode;
  open: boolean;
  onToggle: () => void;
}

/** What goes on behind the app: its channels, what the SDK sends, and what a run came to. */
export function Drawer({ service, lines, snapshot, settings, open, onToggle }: DrawerProps) {
  const { prefetch } = useSvcPrefetch();
  return (
    <>
      <button type="button" className="handle" dir="ltr" aria-expanded={open} onClick={onToggle}>
        {open ? 'Close' : `SDK ${lines.length}`}
      </button>
      <aside className="drawer" dir="ltr" lang="en">
        <div className="controls">{settings}</div>
        <section>
          <h2>Channels</h2>
          <ul className="channels">
            {service.channels.map(({ id, name, state }) => (
              <li key={id}>
                <button type="button" onPointerEnter={() => prefetch(id)} onClick={() => goTo(`/flows/${id}`)}>
                  <strong>{name}</strong> <span className={state}>{state}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2>What the SDK did</h2>
          <ol id="log">
            {lines.length === 0 && <li className="empty">Nothing yet. Open a channel.</li>}
            {lines.map(({ id, at, path, name, detail }) => (
              <li key={id}>
                <details>
                  <summary>
                    <code>{path}</code> <b>{name}</b> <time>{at}</time>
                  </summary>
                  <pre>{detail}</pre>
                </details>
              </li>
            ))}
          </ol>
        </section>
        {snapshot !== null && (
          <section>
            <h2>What the last run came to</h2>
            <pre id="snapshot">{JSON.stringify(snapshot, null, 2)}</pre>
          </section>
        )}
      </aside>
    </>
  );
}
