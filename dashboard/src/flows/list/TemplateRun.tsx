import { Button, SegmentedControl, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { JsonObject } from '../../editor/document/operation';
import { languageName } from '../../editor/locales';
import { Phone } from '../../editor/preview/Phone';
import { useRun } from '../../editor/preview/useRun';
import { localesOf } from '../preview/manifest';
import styles from './Templates.module.css';
import { type Template, templateQuery } from './templates';

const size = { width: 390, height: 844 };
const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Runs a template by the code of the SDK. Nothing of it is recorded. */
export function TemplateRun({ template }: { template: Template }) {
  const { data: flow } = useQuery(templateQuery(template.id));
  return (
    <section className={styles.run} aria-label={`${template.name}, to try`}>
      <h3>{template.name}</h3>
      <p>{template.description}</p>
      {flow && <Running key={template.id} flow={flow} mediaMap={template.mediaMap} />}
    </section>
  );
}

function Running({ flow, mediaMap }: { flow: JsonObject } & Pick<Template, 'mediaMap'>) {
  const locales = localesOf(flow);
  const [locale, setLocale] = useState(locales[0]!);
  const own = useComputedColorScheme('light');
  const [theme, setTheme] = useState<'light' | 'dark'>(own);
  const frame = useRef<HTMLIFrameElement>(null);
  const given = useMemo(
    () => ({
      ...{ flow, locale, theme, mediaMap, attributes: {}, branding: undefined },
      ...{ platform: 'ios' as const, permission: 'granted' as const },
    }),
    [flow, locale, theme, mediaMap],
  );
  const { restart, onLoad } = useRun(frame, given, { from: null, leave: () => frame.current?.blur() });
  return (
    <>
      <div className={styles.looks}>
        <SegmentedControl
          aria-label="Language of the template"
          size="xs"
          value={locale}
          onChange={setLocale}
          data={locales.map((one) => ({ value: one, label: languageName(one) }))}
        />
        <SegmentedControl
          aria-label="Theme of the template"
          size="xs"
          value={theme}
          onChange={(value) => setTheme(value as 'light' | 'dark')}
          data={themes}
        />
        <Button variant="default" size="xs" onClick={() => restart(null)}>
          Restart
        </Button>
      </div>
      <div className={styles.stage}>
        <Phone frame={frame} onLoad={onLoad} size={size} />
      </div>
    </>
  );
}
