import { Button, CopyButton, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { CrossFilters } from '../graphql/schema.gen';
import type { Asked } from '../graphql/send';
import { filtersOfCross } from '../scope/filters';
import { segmentsQuery } from '../scope/segments';
import { useGoals } from '../scope/useGoals';
import { formatExact, formatTime } from '../ui/format';
import { useReturnFocus } from '../ui/useReturnFocus';
import { type Command, commandOf } from './command';
import { definitions, formulaOf } from './definitions';
import type { Explained } from './Explain';
import styles from './Explanation.module.css';
import { playgroundHash } from './link';
import { partOf } from './part';
import { isList, precisionOf } from './precision';
import { scopeOf } from './scope';

/** Where figures come from: what they mean, of whom and when, and how to ask for them elsewhere. */
export function Explanation(props: Explained & { close: () => void }) {
  const { title, parts, at, figures = {}, example, approximate, close } = props;
  useReturnFocus();
  const asked = partOf(props.asked, parts);
  const commands = parts.flatMap((part) => commandOf(part, asked) ?? []);
  const { range, zone, filters } = scopeOf(asked, useSegmentName(asked), useGoalsOf(asked));
  const shown = Object.keys(figures).filter((id) => definitions[id]);
  return (
    <Drawer
      opened
      onClose={close}
      size="lg"
      title={isList(parts) ? `Where “${title}” comes from` : `How “${title}” is counted`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={styles.parts}>
        {example && <p>Includes {example}:</p>}
        {shown.length > 0 && (
          <dl className={styles.figures}>
            {shown.map((id) => (
              <div key={id}>
                <dt>
                  <span>{definitions[id]!.name}</span>
                  {figures[id] !== undefined && <span>{formatExact(figures[id], definitions[id]!.kind)}</span>}
                </dt>
                <dd>
                  {definitions[id]!.means}
                  {formulaOf(id, figures) && <code>{formulaOf(id, figures)}</code>}
                </dd>
              </div>
            ))}
          </dl>
        )}
        <section>
          <h3>Query</h3>
          <dl className={styles.facts}>
            <dt>As of</dt>
            <dd>{at.toLocaleString()}</dd>
            {range && (
              <>
                <dt>Range</dt>
                <dd>
                  {formatTime(range.start, zone, { dateStyle: 'medium', timeStyle: 'short' })} up to{' '}
                  {formatTime(range.end, zone, { dateStyle: 'medium', timeStyle: 'short' })}
                </dd>
                <dt>Time zone</dt>
                <dd>{zone}</dd>
              </>
            )}
            <dt>Filters</dt>
            <dd>{filters.length > 0 ? filters.join('; ') : 'none'}</dd>
            <dt>Precision</dt>
            <dd>{approximate ?? precisionOf(parts)}</dd>
          </dl>
          <People asked={asked} />
        </section>
        {commands.length > 0 && <Commands commands={commands} />}
        <Copyable title="GraphQL" text={asked.text}>
          <Button
            variant="default"
            component={Link}
            to="/playground"
            hash={playgroundHash({ query: asked.text, variables: JSON.stringify(asked.variables, null, 2) })}
          >
            Open in the playground
          </Button>
        </Copyable>
      </div>
    </Drawer>
  );
}

/** The name of the segment that was asked for; undefined while it is on its way, and where there is none. */
function useSegmentName(asked: Asked): string | undefined {
  const id = scopeOf(asked).segment;
  const { app = '', environment = '' } = useParams({ strict: false });
  const answer = useQuery({ ...segmentsQuery({ app, environment }), enabled: id !== undefined && app !== '' });
  return answer.data?.data.app?.segments?.nodes.find((segment) => segment.id === id)?.name;
}

/** The goals of the app, for the names of those that a filter is about. */
function useGoalsOf({ variables }: Asked) {
  const { app = '', environment = '' } = useParams({ strict: false });
  const { cross } = (variables.scope ?? {}) as { cross?: CrossFilters };
  return useGoals({ app, environment }, filtersOfCross(cross));
}

/** What one report's table says nothing to another's. */
const noTable: object = {
  by: undefined,
  sort: undefined,
  order: undefined,
  q: undefined,
  rows: undefined,
  hide: undefined,
  dimension: undefined,
  metric: undefined,
};

/** The way to the people behind figures of sessions: they have the same scope. */
function People({ asked }: { asked: Asked }) {
  const { app, environment } = useParams({ strict: false });
  if (!app || !environment || !asked.text.includes('productAnalytics(')) return null;
  return (
    <div className={styles.acts}>
      <Link
        to="/apps/$app/$environment/visitors"
        params={{ app, environment }}
        search={(before: object) => ({ ...before, ...noTable })}
      >
        Visitors in this report
      </Link>
    </div>
  );
}

/** The commands that print what the card shows: each once, with where in what it prints that is. */
function Commands({ commands }: { commands: readonly Command[] }) {
  const lines = [...new Set(commands.map(({ line }) => line))];
  return lines.map((line, i) => {
    const places = commands.flatMap((command) => (command.line === line && command.at ? command.at : []));
    return (
      <Copyable
        key={line}
        title={lines.length > 1 ? `Command line ${i + 1} of ${lines.length}` : 'Command line'}
        text={line}
      >
        {places.length > 0 && (
          <span>
            In the output:{' '}
            {places.map((at, i) => (
              <Fragment key={at}>
                {i > 0 && ', '}
                <code>{at}</code>
              </Fragment>
            ))}
          </span>
        )}
      </Copyable>
    );
  });
}

function Copyable({ title, text, children }: { title: string; text: string; children?: React.ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <pre className={styles.code} tabIndex={0}>
        {text}
      </pre>
      <div className={styles.acts}>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        {children}
      </div>
    </section>
  );
}
