import { Link } from '@tanstack/react-router';
import { Figure } from '../../ui/Figure';
import { formatAgo } from '../../ui/format';
import styles from './FlowGrid.module.css';
import { type FlowRow, type Listed, stateOf } from './queries';
import { Thumbnail } from './Thumbnail';

/** Flows as what they look like: the first screen, what serves it, how many complete it. */
export function FlowGrid({ flows }: { flows: readonly Listed[] }) {
  return (
    <ul className={styles.grid}>
      {flows.map(({ flow, figures, serving, to }) => {
        const state = stateOf(flow, serving);
        return (
          <li key={flow.id} className={styles.flow}>
            <Thumbnail id={flow.id} revision={flow.draftRevision} name={flow.name} />
            <div className={styles.words}>
              <h3>
                <Link to="/apps/$app/$environment/flows/$flow" {...to}>
                  {flow.name}
                </Link>
              </h3>
              <span className={styles.state} data-state={state.kind}>
                {state.words}
              </span>
              <p title={serving.map(({ name }) => name).join(', ')}>
                {serving.length > 0 ? serving.map(({ name }) => name).join(', ') : `saved ${formatAgo(flow.updatedAt)}`}
              </p>
              <dl>
                <div>
                  <dt>Completed</dt>
                  <dd>
                    <Figure value={figures?.completionRate} kind="share" />
                  </dd>
                </div>
                <div>
                  <dt>Starts</dt>
                  <dd>
                    <Figure value={figures?.starts ?? 0} kind="count" />
                  </dd>
                </div>
                <div>
                  <dt>Version</dt>
                  <dd>{versionWords(flow)}</dd>
                </div>
              </dl>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

const versionWords = ({ versions }: FlowRow) => (versions.nodes[0] ? `v${versions.nodes[0].number}` : '–');
