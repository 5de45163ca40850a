import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { KindIcon } from '../KindIcon';
import { nameOf } from '../names';
import { screensIn } from '../screens';
import { useNode, useSelection } from '../useEditor';
import styles from './Layers.module.css';

/** The screens of the flow, the first one first. Each is a link to it. */
export function ScreenList() {
  const flow = useNode('flow')!;
  const { screen } = useSelection();
  const screens = useMemo(() => screensIn(flow), [flow]);
  return (
    <ol className={styles.screens}>
      {screens.map((object) => (
        <li key={String(object.id)}>
          <Link
            from="/apps/$app/$environment/flows/$flow/edit"
            to="."
            replace
            search={({ mode }) => ({ mode, screen: String(object.id) })}
            className={styles.row}
            aria-current={screen === object.id || undefined}
          >
            <KindIcon kind="screen" />
            <span className={styles.label}>{nameOf(object, 'screen')}</span>
            {object.id === flow.entryScreenId && <small>first</small>}
          </Link>
        </li>
      ))}
    </ol>
  );
}
