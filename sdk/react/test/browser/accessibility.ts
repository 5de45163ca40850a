import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds wrong with the flow on the page. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run(root: Element, options: object): Promise<never> } }).axe;
    const root = document.getElementById('root') as Element;
    // Colors are the author's, and whoever embeds the flow gives the page its landmarks and its heading.
    const rules = { 'color-contrast': { enabled: false }, region: { enabled: false } };
    const result: { violations: { id: string; nodes: { html: string }[] }[] } = await axe.run(root, { rules });
    return result.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html.slice(0, 160)}`);
  });
}
