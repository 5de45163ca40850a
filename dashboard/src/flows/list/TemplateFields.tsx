import { TextInput } from '@mantine/core';
import { TemplatePicker } from './TemplatePicker';
import { type Sale, TemplateProducts } from './TemplateProducts';
import { TemplateRun } from './TemplateRun';
import styles from './Templates.module.css';
import type { Template } from './templates';

type Props = {
  template: Template;
  choose: (id: string) => void;
  appName: string;
  setAppName: (name: string) => void;
  sale: Sale;
  setSale: (sale: Sale) => void;
};

/** Which template a flow begins with and what is filled into it, beside the template, which runs. */
export function TemplateFields({ template, choose, appName, setAppName, sale, setSale }: Props) {
  return (
    <div className={styles.both}>
      <div className={styles.fields}>
        <TemplatePicker value={template.id} onChange={choose} />
        <TextInput
          label="App in the texts"
          required
          maxLength={80}
          value={appName}
          onChange={(event) => setAppName(event.currentTarget.value)}
        />
        {template.products.length > 0 && (
          <TemplateProducts products={template.products} sale={sale} setSale={setSale} />
        )}
      </div>
      <TemplateRun template={template} />
    </div>
  );
}
