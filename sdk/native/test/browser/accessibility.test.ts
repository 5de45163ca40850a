import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { lastScreen, manifest, screen } from '../support/manifests';
import { mount, useBrowser } from './browser';
import { BRANDING, DISPLAY, MEDIA, THEME } from './gallery';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Found {
  violations: { id: string; nodes: { html: string }[] }[];
}

describe('layers that show or lead somewhere', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it('have no accessibility violation', async () => {
    const page = await open();
    await page.addScriptTag({ path: AXE });
    const found: string[] = [];
    for (const [name, { layers }] of Object.entries(DISPLAY)) {
      const flow = manifest([screen('scr_a', layers), lastScreen('scr_other')], { theme: THEME });
      await mount(page, flow, { mediaMap: MEDIA, branding: BRANDING });
      const violations = await page.evaluate(async () => {
        const axe = (window as unknown as { axe: { run(root: Element, options: object): Promise<Found> } }).axe;
        const root = document.getElementById('root') as Element;
        // Colors are the author's, and whoever embeds the flow gives the page its landmarks and its heading.
        const rules = { 'color-contrast': { enabled: false }, region: { enabled: false } };
        const { violations: all } = await axe.run(root, { rules });
        return all.map((violation) => `${violation.id}: ${violation.nodes[0]?.html.slice(0, 200)}`);
      });
      found.push(...violations.map((violation) => `${name} ${violation}`));
    }
    expect(found).toEqual([]);
  });
});
