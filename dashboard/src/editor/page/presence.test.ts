import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { open } from '../document/document';
import { Editor } from '../document/editor';
import { screenOf } from '../document/selection';
import { small } from '../document/TestRandom';
import type { Person } from '../others';
import { type Announcement, Presence, type Said } from './presence';

const { parents } = open(small);
const layer = [...parents.keys()].find((id) => ![null, id].includes(screenOf(open(small), id)))!;
const screen = screenOf(open(small), layer);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function opened() {
  const editor = Editor.open(structuredClone(small), (prefix) => `${prefix}_new`);
  const said: Announcement[] = [];
  let others: readonly Person[] = [];
  const presence = new Presence(
    editor,
    async (_, announcement) => void said.push(announcement),
    (now) => {
      others = now;
    },
  );
  presence.begin();
  return { editor, presence, said, others: () => others };
}

const ben: Said = { clientId: 'b', name: 'Ben', screen: 'goal', layers: ['headline'], pointer: null };

test('a person says what is selected, again every ten seconds, and that they leave', () => {
  const { editor, presence, said } = opened();
  vi.advanceTimersByTime(100);
  editor.select({ nodes: [layer!] });
  vi.advanceTimersByTime(100);
  const at = { screen, pointer: null, leaves: false };
  expect(said).toEqual([
    { ...at, screen: null, layers: [], sequence: 1 },
    { ...at, layers: [layer], sequence: 2 },
  ]);
  vi.advanceTimersByTime(30_000);
  expect(said).toHaveLength(5);
  presence.end();
  expect(said.at(-1)).toEqual({ ...at, layers: [layer], leaves: true, sequence: 6 });
  vi.advanceTimersByTime(60_000);
  expect(said).toHaveLength(6);
});

test('a pointer is told while somebody else is there, at most ten times a second, and not when it rests', () => {
  const { presence, said, others } = opened();
  presence.point({ screen: 'goal', x: 1, y: 1 });
  vi.advanceTimersByTime(1_000);
  expect(said).toHaveLength(1);
  presence.hear([ben, { ...ben, clientId: presence.client, name: 'Oneself' }]);
  expect(others().map(({ name }) => name)).toEqual(['Ben']);
  vi.advanceTimersByTime(100);
  const before = said.length;
  for (let x = 0; x < 100; x++) {
    presence.point({ screen: 'goal', x, y: 2 });
    vi.advanceTimersByTime(10);
  }
  expect(said.length - before).toBeGreaterThan(5);
  expect(said.length - before).toBeLessThan(12);
  vi.advanceTimersByTime(200);
  expect(said.at(-1)!.pointer).toEqual({ screen: 'goal', x: 99, y: 2 });
  vi.advanceTimersByTime(5_100);
  expect(said.at(-1)!.pointer).toBeNull();
  presence.end();
  expect(others()).toEqual([]);
});
