import type { ReactNode } from 'react';
import { formatExact } from '../ui/format';
import { cardName } from './cards';
import { branchesOf, type Spot } from './edit';
import type { Automation } from './queries';
import styles from './Workflow.module.css';
import { type Node, nodeWords, type Path, pathOf, triggerWords } from './workflow';

type Counted = Automation['figures'];
/** What makes the drawing an editor: a card that is chosen ("trigger", or the id of a step), and what adds steps. */
export type EditPlaces = {
  chosen: string | undefined;
  choose: (id: string) => void;
  adder: (spot: Spot, name: string) => ReactNode;
};
type Props = {
  definition: unknown;
  figures: Counted;
  endpoints: ReadonlyMap<string, string>;
  /** Segments, goals and flows by id. */
  names: ReadonlyMap<string, string>;
  edit?: EditPlaces;
};

/** A definition as it is gone through, from the top down, with what happened at each node. */
export function WorkflowDiagram({ definition, figures, endpoints, names, edit }: Props) {
  const nameOf = (id: string) => cardName(definition, id, endpoints);
  const counts = new Map(figures.nodes.map((node) => [node.node, node]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={styles.picture} tabIndex={0} aria-label="Workflow">
      <ol className={styles.path}>
        <li className={styles.start}>
          <div className={styles.node} data-type="trigger" data-chosen={edit?.chosen === 'trigger' || undefined}>
            <Title id="trigger" words={triggerWords(definition, names)} edit={edit} />
            <ul className={styles.counts}>
              <li>{formatExact(figures.entered, 'count')} entered</li>
            </ul>
          </div>
        </li>
        <Steps
          path={pathOf(definition)}
          spot={{ branch: 'next' }}
          edit={edit}
          nameOf={nameOf}
          draw={(node) => (
            <div className={styles.node} data-chosen={edit?.chosen === node.id || undefined}>
              <Title id={node.id} words={nodeWords(node, endpoints)} edit={edit} />
              <Counts figures={counts.get(node.id)} />
            </div>
          )}
        />
      </ol>
    </section>
  );
}

/** The words of a card; where it is edited, what chooses it. */
function Title({ id, words, edit }: { id: string; words: string; edit: EditPlaces | undefined }) {
  if (!edit) return <b>{words}</b>;
  return (
    <button type="button" className={styles.pick} aria-pressed={edit.chosen === id} onClick={() => edit.choose(id)}>
      <b>{words}</b>
    </button>
  );
}

type StepsProps = {
  path: Path;
  spot: Spot;
  edit: EditPlaces | undefined;
  /** What the card of an id is called. */
  nameOf: (id: string) => string;
  draw: (node: Node) => ReactNode;
};

function Steps({ path, spot, edit, nameOf, draw }: StepsProps) {
  const last = path.steps.at(-1);
  const at = (i: number): Spot => (i === 0 ? spot : { after: path.steps[i - 1]!.node.id, branch: 'next' });
  const add = (spot: Spot, name: string) =>
    edit && (
      <>
        {edit.adder(spot, name)}
        <i className={styles.down} />
      </>
    );
  const open = last === undefined || (last.branches.length === 0 && last.node.type !== 'exit');
  return (
    <>
      {path.steps.map(({ node, branches }, i) => (
        <li key={node.id}>
          {add(at(i), `Add a step before ${nameOf(node.id)}`)}
          {draw(node)}
          {branches.length > 0 && <i className={styles.down} />}
          {branches.length > 0 && (
            <ul className={styles.branches}>
              {branches.map(({ name, path }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: branches of one weight have nothing else
                <li key={i}>
                  <span className={styles.label}>{name}</span>
                  <ol className={styles.path}>
                    <Steps
                      path={path}
                      spot={{ after: node.id, branch: branchesOf(node)[i] ?? 'next' }}
                      edit={edit}
                      nameOf={nameOf}
                      draw={draw}
                    />
                  </ol>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
      {open && (
        <li>
          {add(at(path.steps.length), last ? `Add a step after ${nameOf(last.node.id)}` : endName(spot, nameOf))}
          <span className={styles.end}>{path.joins ? `continues at ${nameOf(path.joins)}` : 'Ends'}</span>
        </li>
      )}
    </>
  );
}

const endName = ({ after, branch }: Spot, nameOf: StepsProps['nameOf']) =>
  after ? `Add a step to branch ${branch} of ${nameOf(after)}` : 'Add a step';

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
