import { ActionIcon } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { ScreenFrame } from '../../flows/preview/ScreenFrame';
import { Icon } from '../../ui/Icon';
import type { Look } from '../canvas/Canvas';
import { languageName } from '../locales';
import { useEditing, useNode } from '../useEditor';
import { placeOf } from './place';
import styles from './Translate.module.css';
import type { FlowText } from './texts';

type Props = { text: FlowText; locale: string; look: Look; close: () => void };

/** The screen that a text stands on, drawn by the SDK in its language, with its layer outlined. */
export function Context({ text, locale, look, close }: Props) {
  const { theme } = useEditing();
  const manifest = useDeferredValue(useNode('flow')!);
  const screen = text.screen.id;
  const layer = text.node.split('/')[0]!;
  const shown = useMemo(
    () => ({ manifest, screen, locale, theme, mediaMap: look.mediaMap, branding: look.branding, marks: [layer] }),
    [manifest, screen, locale, theme, look, layer],
  );
  return (
    <section className={styles.context} aria-label="Context">
      <header>
        <b>{languageName(locale)}</b>
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label="Close the context" onClick={close}>
          <Icon name="close" size={14} />
        </ActionIcon>
      </header>
      <ScreenFrame shown={shown} name={`${placeOf(text)} in its place`} width={260} />
      {text.note !== '' && (
        <p dir="auto">
          <small>Note</small> {text.note}
        </p>
      )}
    </section>
  );
}
