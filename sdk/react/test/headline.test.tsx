import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { LayerRenderer } from '../src/index';
import { manifest, screen, text } from './support/manifests';

const html = (fontSize: number) => {
  const flow = manifest([screen('scr_a', [text('lyr_t', 'Plants that live', { fontSize })])]);
  return renderToStaticMarkup(<LayerRenderer manifest={flow} screen={flow.screens[0]!} />);
};

it('balances the lines of headlines, and of nothing smaller', () => {
  expect(html(28)).toContain('text-wrap:balance');
  expect(html(27)).toContain('Plants that live');
  expect(html(27)).not.toContain('text-wrap');
});
