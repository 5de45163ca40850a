import { Link } from '@tanstack/react-router';
import { Figure } from '../../ui/Figure';
import { formatAgo } from '../../ui/format';
import styles from './FlowsPage.module.css';
import type { Listed } from './queries';

/** Flows as figures. */
export function FlowTable({ flows }: { flows: readonly Listed[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
    <section className={styles.scroll} tabIndex={0} aria-label="Flows">
      <table className={styles.flows}>
        <thead>
          <tr>
            <th scope="col">Flow</th>
            <th scope="col">Channels</th>
            <th scope="col">Published</th>
            <th scope="col">Starts</th>
            <th scope="col">Completed</th>
            <th scope="col">Purchases</th>
            <th scope="col">Revenue</th>
          </tr>
        </thead>
        <tbody>
          {flows.map(({ flow: { id, name, archivedAt, versions, updatedAt }, figures: row, serving, to }) => {
            const latest = versions.nodes[0];
            return (
              <tr key={id}>
                <th scope="row">
                  <Link to="/apps/$app/$environment/flows/$flow" {...to}>
                    {name}
                  </Link>
                  <small>{archivedAt ? 'archived' : `draft saved ${formatAgo(updatedAt)}`}</small>
                </th>
                <td>
                  {serving.map((channel) => channel.name).join(', ') || <span className={styles.none}>none</span>}
                </td>
                <td>
                  {latest ? (
                    `v${latest.number}${latest.label && ` · ${latest.label}`}`
                  ) : (
                    <span className={styles.none}>never</span>
                  )}
                </td>
                <td>
                  <Figure value={row?.starts ?? 0} kind="count" />
                </td>
                <td>
                  <Figure value={row?.completionRate} kind="share" />
                </td>
                <td>
                  <Figure value={row?.purchases ?? 0} kind="count" />
                </td>
                <td>
                  <Figure value={row?.revenue ?? 0} kind="money" />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
