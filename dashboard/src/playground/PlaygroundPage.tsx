import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { Button, CopyButton, Menu } from '@mantine/core';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { graphql } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { parseHash, playgroundHash } from '../explain/link';
import { Code } from '../ui/Code';
import { Empty } from '../ui/Empty';
import { Icon } from '../ui/Icon';
import { SegmentedControl } from '../ui/SegmentedControl';
import { Documentation } from './Documentation';
import { examples } from './examples';
import styles from './PlaygroundPage.module.css';
import { nameOf, readPast, remember } from './past';

import { mistakeIn } from './run';
import { Stream } from './Stream';
import { readSchema } from './schema';
import { snippets } from './snippets';
import { useRun } from './useRun';

const playgroundRoute = getRouteApi('/playground');

/** GraphQL by hand: completion and documentation from the schema, answers as they come. */
export function PlaygroundPage() {
  const { found } = playgroundRoute.useRouteContext();
  const { hash } = useLocation();
  const app = found?.app.id ?? '';
  const first = () => parseHash(hash) ?? { query: examples[0]!.query, variables: pretty(examples[0]!.variables(app)) };
  const [query, setQuery] = useState(() => first().query);
  const [variables, setVariables] = useState(() => first().variables ?? '{}');
  const [schema, setSchema] = useState<GraphQLSchema>();
  const [shown, setShown] = useState<'answer' | 'docs'>('answer');
  const [type, setType] = useState('Query');
  const [past, setPast] = useState(readPast);
  const { answer, stream, running, start, stop } = useRun();
  // A link to the page while it is open, such as a step back in the history.
  useEffect(() => {
    const shared = parseHash(hash);
    if (!shared) return;
    setQuery(shared.query);
    setVariables(shared.variables ?? '{}');
  }, [hash]);
  useEffect(() => {
    document.title = 'Playground · Svc';
    let left = false;
    readSchema().then(
      (schema) => !left && setSchema(schema),
      () => {}, // without it everything but completion works
    );
    return () => {
      left = true;
    };
  }, []);
  const open = useCallback((type: string) => {
    setType(type);
    setShown('docs');
  }, []);
  const go = () => {
    setShown('answer');
    setPast(remember({ query, variables, at: new Date().toISOString() }));
    start(query, variables);
  };
  const latest = useRef(go);
  latest.current = go;
  const [withSchema, plain] = useMemo(() => {
    const run = () => {
      latest.current();
      return true;
    };
    const keys = [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      closeBrackets(),
      autocompletion(),
      keymap.of([...closeBracketsKeymap, ...completionKeymap]),
    ];
    const show = (_?: string, type?: string, parent?: string) => open(parent ?? type ?? 'Query');
    return [
      [keys, graphql(schema, { onShowInDocs: show })],
      [keys, json()],
    ];
  }, [schema, open]);
  const put = (next: { query: string; variables: string }) => {
    setQuery(next.query);
    setVariables(next.variables);
  };
  const link = `${location.origin}/playground#${playgroundHash({ query, variables })}`;
  return (
    <main className={styles.page}>
      <header className={styles.bar}>
        <Link to="/">
          <Icon name="left" size={12} /> Dashboard
        </Link>
        <h1>Playground</h1>
        {running ? (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button onClick={go} rightSection={<kbd>⌘↵</kbd>}>
            Run
          </Button>
        )}
        <Menu>
          <Menu.Target>
            <Button variant="default">Examples</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {examples.map(({ name, query, variables }) => (
              <Menu.Item key={name} onClick={() => put({ query, variables: pretty(variables(app)) })}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Menu>
          <Menu.Target>
            <Button variant="default" disabled={past.length === 0}>
              History
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
            {past.map((run) => (
              <Menu.Item key={run.at} onClick={() => put(run)} rightSection={new Date(run.at).toLocaleTimeString()}>
                {nameOf(run)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <CopyAs query={query} variables={variables} />
        <CopyButton value={link}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy link'}
            </Button>
          )}
        </CopyButton>
        <SegmentedControl
          size="xs"
          aria-label="At the right"
          value={shown}
          onChange={(value) => setShown(value === 'docs' ? 'docs' : 'answer')}
          data={[
            { value: 'answer', label: 'Answer' },
            { value: 'docs', label: 'Documentation' },
          ]}
        />
      </header>
      <section className={styles.asked} aria-label="Request">
        <Code
          key={schema ? 'known' : 'unknown'}
          label="Query"
          text={query}
          change={setQuery}
          extensions={withSchema}
          height="100%"
        />
        <h2>Variables</h2>
        <Code label="Variables" text={variables} change={setVariables} extensions={plain} height="100%" />
      </section>
      <section className={styles.answer} aria-label="Answer" aria-busy={running}>
        {shown === 'docs' ? (
          <div className={styles.docs}>
            {schema ? <Documentation schema={schema} type={type} open={setType} /> : 'The schema has not loaded yet.'}
          </div>
        ) : (
          <>
            <p className={styles.state} role="status">
              {answer.state}
            </p>
            {stream ? (
              <Stream answers={stream} running={running} />
            ) : answer.text || answer.state ? (
              <Code label="Answer" text={answer.text} height="100%" />
            ) : (
              <div className={styles.waiting}>
                <Empty
                  title="No query run yet"
                  why="The response shows here, with its duration."
                  next={
                    <Button variant="default" onClick={go}>
                      Run this query
                    </Button>
                  }
                />
              </div>
            )}
          </>
        )}
      </section>
    </main>
  );
}

/** The request for a terminal or a program. */
function CopyAs({ query, variables }: { query: string; variables: string }) {
  const kinds = ['curl', 'CLI', 'TypeScript'] as const;
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" disabled={mistakeIn(variables) !== undefined}>
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item
            key={kind}
            onClick={() =>
              void navigator.clipboard.writeText(
                snippets[kind](
                  { query, variables: JSON.parse(variables || '{}') as Record<string, unknown> },
                  location.origin,
                ),
              )
            }
          >
            {kind}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const pretty = (value: object) => JSON.stringify(value, null, 2);
