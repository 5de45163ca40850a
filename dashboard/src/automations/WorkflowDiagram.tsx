import type { ReactNode } from 'react';
import { formatExact } from '../ui/format';
import type { Automation } from './queries';
import styles from './Workflow.module.css';
import { type Node, nodeWords, type Path, pathOf, triggerWords } from './workflow';

type Counted = Automation['figures'];
type Props = { definition: unknown; figures: Counted; endpoints: ReadonlyMap<string, string> };

/** A definition as it is gone through, from the top down, with what happened at each node. */
export function WorkflowDiagram({ definition, figures, endpoints }: Props) {
  const counts = new Map(figures.nodes.map((node) => [node.node, node]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={styles.picture} tabIndex={0} aria-label="Workflow">
      <ol className={styles.path}>
        <li className={styles.start}>
          <div className={styles.node} data-type="trigger">
            <b>{triggerWords(definition)}</b>
            <ul className={styles.counts}>
              <li>{formatExact(figures.entered, 'count')} entered</li>
            </ul>
          </div>
        </li>
        <Steps
          path={pathOf(definition)}
          draw={(node) => (
            <div className={styles.node}>
              <b>{nodeWords(node, endpoints)}</b>
              <code>{node.id}</code>
              <Counts figures={counts.get(node.id)} />
            </div>
          )}
        />
      </ol>
    </section>
  );
}

function Steps({ path, draw }: { path: Path; draw: (node: Node) => ReactNode }) {
  const last = path.steps.at(-1);
  const open = last === undefined || (last.branches.length === 0 && last.node.type !== 'exit');
  return (
    <>
      {path.steps.map(({ node, branches }) => (
        <li key={node.id}>
          {draw(node)}
          {branches.length > 0 && <i className={styles.down} />}
          {branches.length > 0 && (
            <ul className={styles.branches}>
              {branches.map(({ name, path }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: branches of one weight have nothing else
                <li key={i}>
                  <span className={styles.label}>{name}</span>
                  <ol className={styles.path}>
                    <Steps path={path} draw={draw} />
                  </ol>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
      {open && (
        <li>
          <span className={styles.end}>{path.joins ? `continues at ${path.joins}` : 'Ends'}</span>
        </li>
      )}
    </>
  );
}

function Counts({ figures }: { figures: Counted['nodes'][number] | undefined }) {
  if (!figures) return null;
  const { waiting, delivered, pending, undelivered, suppressed, unsubscribed, steps } = figures;
  const said: { name: string; count: number; kind?: 'good' | 'bad' }[] = [
    { name: 'waiting here', count: waiting },
    { name: 'delivered', count: delivered, kind: 'good' },
    { name: 'being sent', count: pending },
    { name: 'not delivered', count: undelivered, kind: 'bad' },
    { name: 'suppressed', count: suppressed },
    { name: 'unsubscribed', count: unsubscribed },
    ...steps
      .filter(({ result }) => result !== 'sent' && result !== 'waiting')
      .map(({ result, reason, count }) => ({
        name: stepWords(result, reason),
        count,
        ...(result === 'failed' && { kind: 'bad' as const }),
      })),
  ];
  return (
    <ul className={styles.counts}>
      {said
        .filter(({ count }) => count > 0)
        .map(({ name, count, kind }) => (
          <li key={name} data-kind={kind}>
            {formatExact(count, 'count')} {name}
          </li>
        ))}
    </ul>
  );
}

/** The result of a user at a node. Of a node with branches the reason is the branch. */
function stepWords(result: string, reason: string): string {
  const branch = /^(then|else)$|^arm (\d+)$/.exec(reason);
  if (branch) return branch[1] === 'then' ? 'yes' : branch[1] === 'else' ? 'no' : `branch ${Number(branch[2]) + 1}`;
  return reason ? `${result}: ${reason.replaceAll('_', ' ')}` : result;
}
