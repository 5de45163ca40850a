import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../ui/Icon';
import { addScreen } from '../document/commands/screens';
import { stepsOf } from '../document/exits';
import { screensIn } from '../screens';
import { useEditing, useNode } from '../useEditor';
import styles from './EmptyFlow.module.css';

type Props = {
  place: { app: string; environment: string; flow: string };
  /** Whether the graph is looked at, which shows steps of all kinds. */
  graph: boolean;
  children: ReactNode;
};

/** Shows what the flow has, or while there is nothing of it the ways to begin. */
export function EmptyFlow({ place, graph, children }: Props) {
  const { editor, canEdit, name, say, reveal } = useEditing();
  const flow = useNode('flow')!;
  if (screensIn(flow).length > 0 || (graph && stepsOf(editor.document).length > 0)) return children;
  const start = () => {
    const done = editor.run(addScreen, {});
    say(done);
    const { screen } = editor.selection;
    if (done !== true || screen === null) return;
    reveal(screen);
    name(screen);
  };
  const from = { to: '/apps/$app/$environment/flows/$flow/start', params: place } as const;
  return (
    <section className={styles.empty} aria-labelledby="empty-flow">
      <h2 id="empty-flow">{canEdit ? 'How do you want to start?' : 'This flow has no screens yet'}</h2>
      {canEdit && (
        <div className={styles.ways}>
          <Link {...from} search={{}}>
            <Words icon="flows" title="Template" about="A whole flow in your colors, to make your own." />
          </Link>
          <button type="button" onClick={start}>
            <Words icon="phone" title="Blank screen" about="Build it up from an empty screen." />
          </button>
          <Link {...from} search={{ content: 'import' }}>
            <Words icon="download" title="Import" about="A flow from a file, with its media and fonts." />
          </Link>
        </div>
      )}
    </section>
  );
}

function Words({ icon, title, about }: { icon: IconName; title: string; about: string }) {
  return (
    <>
      <Icon name={icon} size={20} />
      <b>{title}</b>
      <small>{about}</small>
    </>
  );
}
