import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import { useNear } from '../../ui/useNear';
import { ScreenFrame } from '../preview/ScreenFrame';
import styles from './Templates.module.css';
import { type Template, templates, useTemplate } from './templates';

type Props = { value: string; onChange: (id: string) => void };

/** Flows to begin with, each by the screen that stands for it. */
export function TemplatePicker({ value, onChange }: Props) {
  return (
    <fieldset className={styles.picker}>
      <legend>Template</legend>
      {templates.map((template) => (
        <label key={template.id} className={styles.card} data-chosen={template.id === value || undefined}>
          <input
            type="radio"
            name="template"
            aria-label={template.name}
            checked={template.id === value}
            onChange={() => onChange(template.id)}
          />
          <Cover template={template} />
          <b>{template.name}</b>
          <small>{template.category}</small>
        </label>
      ))}
    </fieldset>
  );
}

/** The screen is drawn before it can be seen. */
function Cover({ template }: { template: Template }) {
  const { name, cover } = template;
  const { ref, near } = useNear<HTMLDivElement>();
  const drawn = useTemplate(template, near);
  const theme = useComputedColorScheme('light');
  const shown = useMemo(() => {
    if (!drawn) return undefined;
    const { flow: manifest, ...rest } = drawn;
    return { manifest, screen: cover, theme, ...rest };
  }, [drawn, cover, theme]);
  return (
    <div ref={ref} className={styles.cover}>
      <ScreenFrame shown={shown} name={`A screen of ${name}`} width={104} />
    </div>
  );
}
