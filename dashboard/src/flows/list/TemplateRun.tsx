import { Button, useComputedColorScheme } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { languageName } from '../../editor/locales';
import { Phone } from '../../editor/preview/Phone';
import { useRun } from '../../editor/preview/useRun';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { localesOf } from '../preview/manifest';
import styles from './Templates.module.css';
import { type Template, useTemplate } from './templates';

const size = { width: 390, height: 844 };
const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Runs a template in the brand of the app, by the code of the SDK. Nothing of it is recorded. */
export function TemplateRun({ template }: { template: Template }) {
  const drawn = useTemplate(template);
  return (
    <section className={styles.run} aria-label={`${template.name}, to try`}>
      <h3>{template.name}</h3>
      <p>{template.description}</p>
      {drawn && <Running key={template.id} {...drawn} />}
    </section>
  );
}

type Drawn = NonNullable<ReturnType<typeof useTemplate>>;

function Running({ flow, mediaMap, branding }: Drawn) {
  const locales = localesOf(flow);
  const [locale, setLocale] = useState(locales[0]!);
  const own = useComputedColorScheme('light');
  const [theme, setTheme] = useState<'light' | 'dark'>(own);
  const frame = useRef<HTMLIFrameElement>(null);
  const given = useMemo(
    () => ({
      ...{ flow, locale, theme, mediaMap, attributes: {}, branding },
      ...{ platform: 'ios' as const, permission: 'granted' as const },
    }),
    [flow, locale, theme, mediaMap, branding],
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
