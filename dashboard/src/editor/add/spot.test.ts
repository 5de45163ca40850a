import { describe, expect, test } from 'vitest';
import { insert } from '../document/commands/insert';
import type { Flow } from '../document/document';
import type { Json, JsonObject } from '../document/operation';
import { TestEditor } from '../document/TestEditor';
import type { Addition } from './addition';
import { blocks } from './blocks/blocks';
import { kinds } from './kinds';
import { insertionAt, spotInWords, spotOf } from './spot';

const stack = (name: string, children: readonly Json[] = []) => ({
  ...{ id: `lyr_${name}`, name, kind: 'stack', direction: 'vertical', children },
});
const text = (name: string) => ({ id: `lyr_${name}`, name, kind: 'text', text: { default: name } });
const flow: Flow = {
  entryScreenId: 'scr_1',
  screens: [
    {
      id: 'scr_1',
      name: 'Welcome',
      next: { default: null },
      regions: { body: stack('Body', [text('Title'), stack('Card', [text('Price')])]) },
    },
  ],
};

const all = kinds.flatMap(({ additions }) => additions);
const kind = (id: string, more: Partial<Addition> = {}): Addition => ({
  ...all.find((one) => one.id === id)!,
  ...more,
});

/** Adds to a page, and tells where it went and why not to the selection. */
function add(page: TestEditor, addition: Addition) {
  const found = spotOf(page.editor, addition);
  if (typeof found === 'string') return found;
  const where = spotInWords(page.editor, found.to);
  page.run(insert, found.insertion);
  expect(page.said).toBe(true);
  return found.instead ? `${found.instead}; ${where}` : where;
}

describe('where an addition goes, in words', () => {
  const page = (selected?: string) => {
    const one = TestEditor.open(flow);
    return selected ? one.click(selected) : one;
  };
  test('into a stack that is selected, else behind what is', () => {
    expect(add(page('Card'), kind('text'))).toBe('in Card, below Price');
    expect(add(page('Price'), kind('image'))).toBe('in Card, below Price');
    expect(add(page('Title'), kind('image'))).toBe('in Body, below Title');
    expect(add(page(), kind('image'))).toBe('in Body, below Card');
  });

  test('a second question gets a screen of its own, unless it never shows beside the first', () => {
    const one = page('Card');
    expect(add(one, kind('single_choice'))).toBe('in Card, below Price');
    expect(add(one, kind('scale_input'))).toMatch(
      /^This screen asks .* already, and a screen asks one question; on a new screen after this one$/,
    );
    expect(one.outline()).toEqual(['stack', '  scale input']);
    expect(one.editor.canUndo).toBe('Add Scale');
    one.undo();
    expect(one.editor.document.screens).toBe(1);
    one.undo();
    add(one.click('Title'), kind('conditional'));
    const branches = one.editor.object(one.editor.selection.nodes[0]!)!.children as readonly JsonObject[];
    for (const branch of branches) {
      one.editor.select({ nodes: [String(branch.id)] });
      expect(add(one, kind('text_input'))).toMatch(/^in Stack/);
    }
  });

  test('sign-in and questions keep apart', () => {
    const one = page();
    add(one, kind('oauth_login'));
    expect(add(one.open(), kind('email_password_auth'))).toMatch(/^People sign in on this screen.*new screen/);
  });

  test('a part goes into what it is a part of, until that has them all', () => {
    const one = page('Title');
    expect(spotOf(one.editor, kind('oauth_provider'))).toBe(
      'It is a part of Social sign-in, and this screen has none: add that',
    );
    add(one, kind('oauth_login'));
    one.click('Title');
    expect(add(one, kind('oauth_provider'))).toMatch(/^It only stands in Social sign-in; in Social sign-in, below/);
    expect(one.editor.object(one.editor.selection.nodes[0]!)).toMatchObject({ provider: 'github' });
    expect(spotOf(one.editor, kind('oauth_provider'))).toBe('Social sign-in has all of these that it can have');
    const other = page();
    add(other, kind('number_stepper'));
    expect(spotOf(other.editor, kind('number_stepper_button'))).toMatch(/has all of these/);
    const [stepper] = other.editor.selection.nodes;
    const [first] = other.editor.object(stepper!)!.children as readonly JsonObject[];
    other.step({ op: 'remove', node: String(first!.id) });
    add(other, kind('number_stepper_button'));
    expect(other.editor.object(other.editor.selection.nodes[0]!)).toMatchObject({
      ...{ role: 'decrement', children: [{ text: { default: '−' } }] },
    });
  });

  test('what has layers of its own inside gets what is added when it is selected, empty too', () => {
    const one = page();
    add(one, kind('number_stepper'));
    const [stepper] = one.editor.selection.nodes;
    const [button] = one.editor.object(stepper!)!.children as readonly JsonObject[];
    const [sign] = button!.children as readonly JsonObject[];
    one.step({ op: 'remove', node: String(sign!.id) });
    one.editor.select({ nodes: [String(button!.id)] });
    expect(add(one, kind('icon'))).toBe('in Stepper button');
    const other = page();
    add(other, kind('email_password_auth'));
    const submit = (other.editor.object(other.editor.selection.nodes[0]!)!.children as readonly JsonObject[]).at(-1)!;
    other.editor.select({ nodes: [String(submit.id)] });
    expect(add(other, kind('icon'))).toBe('in Sign-in button, below Sign in');
  });

  test('the button of a provider is a box when it is made of layers', () => {
    const one = page();
    add(one, kind('oauth_login'));
    const [{ id }] = one.editor.object(one.editor.selection.nodes[0]!)!.children as [JsonObject];
    one.editor.select({ nodes: [String(id)] });
    expect(add(one, kind('text'))).not.toMatch(/^in Apple/);
    const subtree = { id: 'lyr_word', kind: 'text', text: { default: 'Apple' } };
    one.step({ op: 'set', node: String(id), path: ['variant'], value: 'custom' });
    one.step({ op: 'insert', parent: String(id), slot: 'children', after: null, before: null, subtree });
    one.editor.select({ nodes: [String(id)] });
    add(one, kind('icon'));
    expect(one.editor.object(String(id))!.children).toMatchObject([{ kind: 'text' }, { kind: 'icon' }]);
  });

  test('a screen gets the header that it does not have, and the next one goes on top of it', () => {
    const one = page('Price');
    const header = kind('back_button', { region: 'header' });
    expect(add(one, header)).toBe('in a new header of Welcome');
    expect(one.outline()).toContain('  back button');
    expect(add(one, header)).toMatch(/^in Header, above/);
    one.undo();
    one.undo();
    expect(one.editor.document.flow).toEqual(flow);
  });

  test('with no screen open it makes one', () => {
    const empty = TestEditor.open({ screens: [] });
    expect(add(empty, kind('text'))).toBe('No screen is open; on a new screen, the last');
    expect(empty.editor.document.flow).toMatchObject({ entryScreenId: empty.editor.selection.screen });
    empty.undo();
    expect(spotOf(empty.editor, kind('number_stepper_value'))).toMatch(/^Add Stepper first/);
  });

  test('a place that is pointed at is taken where a valid screen may have it there', () => {
    const one = page();
    const to = (parent: string) => ({ parent, slot: 'children', after: null });
    expect(insertionAt(one.editor, kind('text'), to('lyr_Card'))).toMatchObject({ kind: 'text', to: to('lyr_Card') });
    expect(insertionAt(one.editor, kind('text'), to('lyr_Title'))).toBe("It can't stand there");
    expect(insertionAt(one.editor, kind('oauth_provider'), to('lyr_Card'))).toMatch(/^It is a part of /);
    add(one, kind('oauth_login'));
    const [login] = one.editor.selection.nodes;
    expect(insertionAt(one.editor, kind('oauth_provider'), to(login!))).toMatchObject({ kind: 'oauth_provider' });
    expect(insertionAt(one.editor, kind('text_input'), to('lyr_Card'))).toMatch(/^People sign in on this screen/);
  });

  test('blocks come one below the other, and never in a row, a header or a button', () => {
    const one = page();
    const block = (id: string) => blocks.flatMap(({ additions }) => additions).find((each) => each.id === id)!;
    expect(add(one, block('header'))).toBe('in a new header of Welcome');
    expect(add(one, block('hero'))).toBe('in Body, below Card');
    expect(add(one, block('price'))).toBe('in Body, below Image with headline');
    expect(add(one.click('Price'), block('features'))).toBe('in Card, below Price');
    expect(add(one.click('Yearly'), block('proof'))).toBe('in Price card, below Yearly');
    expect(add(one.click('4.8'), block('testimonial'))).toMatch(/^in Stack, below 4.8/);
    expect(add(one.click('Continue'), block('trial'))).toBe('in Price card, below Continue');
    expect(add(one.click('Body'), block('question'))).toBe('in Body, below Price card');
    expect(add(one.click('Something else'), block('hero'))).toBe('in Question with options, below Single choice');
    expect(add(one.click('Title'), block('plans'))).toMatch(/a screen asks one question; on a new screen after/);
  });
});
