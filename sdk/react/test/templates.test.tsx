// @vitest-environment jsdom
import type { FlowManifest, FlowTerminalSnapshot } from '@svc/core';
import axe from 'axe-core';
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Prompts,
  planWalks,
  readTemplates,
  type Step,
  typed,
  unseen,
} from '../../core/test/support/template-walks';
import { type ExternalSurfaceProps, Flow } from '../src/index';
import { createTestService, SvcTestProvider } from '../src/testing';
import { type Mounted, mountUi } from './support/dom';
import { served } from './support/manifests';

// Every template, from its start to each of its ends, in each of its languages: what the machine says shows.

const CHANNEL = 'ch_test_main';
/** Longer than any loader of a template. */
const LONG = 40_000;

/** Browsers ask for notifications alone. */
const prompts: Prompts = (permission) => (permission === 'notifications' ? ['granted', 'denied'] : ['denied']);

let answer: string = 'denied';
let mounted: Mounted | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('Notification', { permission: 'default', requestPermission: () => Promise.resolve(answer) });
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener: () => {}, removeEventListener: () => {} }));
});
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** What an app would show for its own surfaces. */
function Host({ onComplete, onBack, onDismiss, surfaceId }: ExternalSurfaceProps) {
  return (
    <div data-surface={surfaceId}>
      <button type="button" data-outcome="completed" onClick={() => onComplete()}>
        Buy
      </button>
      <button type="button" data-outcome="back" onClick={() => onBack()}>
        Back
      </button>
      <button type="button" data-outcome="dismissed" onClick={() => onDismiss()}>
        Close
      </button>
    </div>
  );
}

const hosts = (manifest: FlowManifest) =>
  Object.fromEntries(
    (manifest.externalSurfaceNodes ?? []).map(({ id, config }) => [
      config.provider === 'headless' ? (config.hostKey ?? id) : id,
      Host,
    ]),
  );

const shown = (ui: Mounted) =>
  ui.box.querySelector('[data-screen]')?.getAttribute('data-screen') ??
  ui.box.querySelector('[data-surface]')?.getAttribute('data-surface');

async function take(ui: Mounted, { options, exit }: Step) {
  for (const option of options) await ui.click(`[data-option="${option}"]`);
  for (const field of ui.box.querySelectorAll('textarea, input[type=text]')) {
    field.setAttribute('data-typed', '');
    await ui.type('[data-typed]', typed);
    field.removeAttribute('data-typed');
  }
  switch (exit.kind) {
    case 'option':
      return ui.click(`[data-option="${exit.id}"]`);
    case 'surface':
      return ui.click(`[data-outcome="${exit.outcome}"]`);
    case 'wait':
      return ui.pass(LONG);
    case 'sign_in':
      await ui.type('input[type=email]', 'ada@plants.example');
      for (const field of ui.box.querySelectorAll('input[type=password]')) {
        field.setAttribute('data-typed', '');
        await ui.type('[data-typed]', 'correct horse 1');
        field.removeAttribute('data-typed');
      }
      return ui.click(`[data-layer="${exit.layer}"]`);
    case 'button':
      answer = exit.outcome ?? answer;
      for (let at = 0; at < (exit.times ?? 1); at += 1) {
        await ui.click(`[data-layer="${exit.layer}"]`);
        await ui.pass(500);
      }
      return;
  }
}

/** What axe finds on the screen. Colors are looked at where there are some, and what is around is the app's. */
async function violations(box: HTMLElement): Promise<string[]> {
  const off = { enabled: false };
  let found: string[] | undefined;
  const looking = axe.run(box, { rules: { 'color-contrast': off, region: off } }).then((result) => {
    found = result.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
  // It waits between its rules, by the time that the test keeps.
  while (!found) await Promise.race([looking, vi.advanceTimersByTimeAsync(1)]);
  return found;
}

/** What only those come to who were asked by the system of a device. */
const onDevices: Record<string, string[]> = { 'permission-primers': ['scr_settings'], 'dating-profile': ['scr_done'] };

describe.each(readTemplates(import.meta.dirname))('the template $id', ({ id, manifest }) => {
  const walks = planWalks(manifest, prompts);

  it.each(manifest.locales)('runs to each of its ends in %s', async (locale) => {
    const looked = new Set<string>();
    for (const walk of walks) {
      localStorage.clear();
      const ended: FlowTerminalSnapshot[] = [];
      const ui = await mountUi(
        <SvcTestProvider service={createTestService({ [CHANNEL]: served(manifest) })} config={{ locale }}>
          <Flow
            channelId={CHANNEL}
            locale={locale}
            externalSurfaces={hosts(manifest)}
            onOAuthLogin={({ resolve }) => resolve({ success: true })}
            onEmailPasswordAuth={({ resolve }) => resolve({ success: true })}
            onFlowCompleted={(snapshot) => ended.push(snapshot)}
          />
        </SvcTestProvider>,
      );
      mounted = ui;
      for (const step of walk) {
        expect(shown(ui), JSON.stringify(walk)).toBe(step.at);
        expect(ended).toEqual([]);
        if (!looked.has(step.at)) {
          looked.add(step.at);
          expect(await violations(ui.box), step.at).toEqual([]);
        }
        await take(ui, step);
        await act(async () => void (await vi.advanceTimersByTimeAsync(50)));
      }
      expect(ended.length, JSON.stringify(walk)).toBe(1);
      await ui.unmount();
      mounted = undefined;
    }
    expect(unseen(manifest, walks)).toEqual(onDevices[id] ?? []);
  });
});
