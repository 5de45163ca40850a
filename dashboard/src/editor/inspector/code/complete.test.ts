import { describe, expect, test } from 'vitest';
import { offersAt } from './offers';
import { spotIn } from './spot';

/** What is offered at the bar of a text of JSON, by what it is called. */
const offered = (kind: string, text: string) => {
  const spot = spotIn(text.slice(0, text.indexOf('|')));
  return spot && offersAt(kind, spot, [{ value: 'scr_plan', label: 'Plan' }]).map(({ label }) => label);
};

describe('the place that something is written at', () => {
  test.each([
    ['{', 'name', [], 1],
    ['{ "gap": 8, "al', 'name', [], 12],
    ['{ "style": { "width": ', 'value', ['style', 'width'], 22],
    ['{ "style": { "width": "fi', 'value', ['style', 'width'], 22],
    ['{ "options": [{ "label": {}, ', 'name', ['options', ''], 29],
    ['{ "locales": ["en", ', 'value', ['locales', ''], 20],
    ['{ "text": { "default": "a \\" b, {" }, "st', 'name', [], 38],
  ])('%s', (text, is, path, from) => {
    expect(spotIn(text)).toMatchObject({ is, path, from });
  });
  test.each(['', '{ "gap"', '{ "gap": 8 ', '{} ', '"a", '])('is none behind %s', (text) => {
    expect(spotIn(text)).toBeUndefined();
  });
});

describe('what the schema has for it', () => {
  test('members that are not there yet', () => {
    const all = offered('button', '{ "variant": "primary", |');
    expect(all).toContain('action');
    expect(all).toContain('gap');
    expect(all).not.toContain('variant');
    expect(all).not.toContain('id');
  });
  test('words, whether something is so, and steps that it may lead to', () => {
    expect(offered('button', '{ "variant": |')).toEqual(['primary', 'secondary', 'ghost', 'destructive']);
    expect(offered('carousel', '{ "loop": |')).toEqual(['true', 'false']);
    expect(offered('button', '{ "action": { "kind": "go_to_step", "screenId": |')).toEqual(['scr_plan']);
  });
  test('members of the objects inside, of each form that they can have', () => {
    expect(offered('text', '{ "style": { |')).toContain('fontSize');
    expect(offered('button', '{ "action": { |')).toEqual(expect.arrayContaining(['kind', 'screenId', 'permissionKey']));
    expect(offered('button', '{ "action": { "kind": |')).toContain('go_to_step');
  });
  test('a member is written with its colon, a word with its quotes', () => {
    const [first] = offersAt('text', spotIn('{ "sty')!, []).filter(({ label }) => label === 'style');
    expect(first).toMatchObject({ write: '"style": ' });
  });
  test('nothing for a kind or a member that nobody knows', () => {
    expect(offered('hologram', '{ |')).toEqual([]);
    expect(offered('text', '{ "nonsense": { |')).toEqual([]);
  });
});
