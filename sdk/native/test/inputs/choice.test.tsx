import type { CheckboxLayer, MultipleChoiceLayer, SingleChoiceLayer, StackLayer } from '@svc/core';
import { fireEvent, screen } from '@testing-library/react-native';
import { StyleSheet } from 'react-native';
import type { ReactTestRendererJSON } from 'react-test-renderer';
import { GO, option, showLayers, text } from '../support/inputs';

const branching = { enabled: false, conditions: [] };
const bindings = (...ids: string[]) => ids.map((id) => ({ optionId: id, rootLayerId: `lyr_${id}` }));
const single: SingleChoiceLayer = {
  id: 'lyr_pick',
  kind: 'single_choice',
  fieldKey: 'pick',
  name: 'Pick one',
  children: [option('a'), option('b')],
  optionBindings: bindings('b', 'a'),
  branching,
};
const many: MultipleChoiceLayer = {
  ...single,
  kind: 'multiple_choice',
  name: 'Pick some',
  children: [option('a'), option('b'), option('c')],
  optionBindings: bindings('a', 'b', 'c'),
  maxSelections: 2,
};
/** The views directly inside of a layer's. */
function hostChildren(id: string): ReactTestRendererJSON[] {
  const search = (node: ReactTestRendererJSON): ReactTestRendererJSON | undefined => {
    if (node.props.testID === id) return node;
    for (const child of node.children ?? []) {
      const found = typeof child === 'string' ? undefined : search(child);
      if (found) return found;
    }
    return undefined;
  };
  const children = search(screen.toJSON() as ReactTestRendererJSON)?.children ?? [];
  return children.filter((child) => typeof child !== 'string');
}
const radio = (id: string) => screen.getByRole('radio', { name: `Option ${id}` });
const box = (id: string) => screen.getByRole('checkbox', { name: `Option ${id}` });
const go = () => fireEvent.press(screen.getByRole('button', { name: 'Continue' }));

test('a single choice answers at a tap where nothing waits for it, in the order of its bindings', async () => {
  const { responses } = await showLayers([single]);
  expect(screen.getAllByRole('radio').map(({ props }) => props.testID)).toEqual(['option-b', 'option-a']);
  fireEvent.press(radio('a'));
  expect(responses).toEqual([{ kind: 'choice', choiceId: 'a' }]);
});

test('a single choice waits for Continue where there is one, and says what is chosen', async () => {
  const { responses } = await showLayers([single, GO]);
  expect(screen.getByLabelText('Pick one').props.role).toBe('radiogroup');
  go();
  fireEvent.press(radio('a'));
  expect(responses).toEqual([]);
  expect(radio('a')).toBeChecked();
  expect(radio('b')).not.toBeChecked();
  fireEvent.press(radio('b'));
  expect(radio('a')).not.toBeChecked();
  go();
  expect(responses).toEqual([{ kind: 'choice', choiceId: 'b' }]);
});

test('a chosen option takes its selected look and icon', async () => {
  const dressed: StackLayer = {
    ...option('a'),
    style: { padding: { t: 1 } },
    selectedStyle: { background: '#00ff00' },
    children: [
      text('lyr_words', 'Option a'),
      { id: 'lyr_dot_sel', kind: 'icon', family: 'ionicons', iconName: 'checkmark' },
      { id: 'lyr_dot_unsel', kind: 'icon', family: 'ionicons', iconName: 'ellipse' },
    ],
  };
  await showLayers([{ ...single, children: [dressed, option('b')] }, GO]);
  const icons = () =>
    ['lyr_dot_sel', 'lyr_dot_unsel'].map((id) => screen.queryByTestId(id, { includeHiddenElements: true }) !== null);
  expect(icons()).toEqual([false, true]);
  fireEvent.press(radio('a'));
  expect(icons()).toEqual([true, false]);
  expect(screen.getByTestId('lyr_a')).toHaveStyle({ backgroundColor: '#00ff00' });
});

test('a multiple choice takes no more than allowed and can be taken back', async () => {
  const { responses } = await showLayers([many, GO]);
  expect(screen.getByLabelText('Pick some').props.role).toBe('group');
  for (const id of ['c', 'a', 'b']) fireEvent.press(box(id));
  expect([box('a'), box('b'), box('c')].map(({ props }) => props.accessibilityState?.checked)).toEqual([
    true,
    false,
    true,
  ]);
  go();
  fireEvent.press(box('c'));
  fireEvent.press(box('b'));
  go();
  expect(responses).toEqual([
    { kind: 'multiChoice', choiceIds: ['c', 'a'] },
    { kind: 'multiChoice', choiceIds: ['a', 'b'] },
  ]);
});

test('tiles of a grid have the width of a column, and the last row keeps it', async () => {
  await showLayers([{ ...many, direction: 'grid', columns: 2, gap: 4 }]);
  const rows = hostChildren('lyr_pick');
  expect(rows.map(({ children }) => children?.length)).toEqual([2, 2]);
  expect(StyleSheet.flatten(rows[0]?.props.style)).toMatchObject({ flexDirection: 'row', gap: 4 });
  const cells = rows.flatMap(({ children }) => children as ReactTestRendererJSON[]);
  expect(cells.map(({ props }) => StyleSheet.flatten(props.style).flex)).toEqual([1, 1, 1, 1]);
});

test('a screen that is only shown takes no choice', async () => {
  const { responses } = await showLayers([single], { mode: 'static' });
  fireEvent.press(radio('a'));
  expect(responses).toEqual([]);
  expect(radio('a')).toBeDisabled();
});

test('checkboxes hold Continue back while they must be ticked, and go along with the answer', async () => {
  const terms: CheckboxLayer = { id: 'lyr_x', kind: 'checkbox', fieldKey: 'terms', name: 'Terms', blocking: true };
  const news: CheckboxLayer = { id: 'lyr_y', kind: 'checkbox', fieldKey: 'news', name: 'News' };
  const { responses } = await showLayers([terms, news, GO]);
  const tick = (name: string) => screen.getByRole('checkbox', { name });
  go();
  expect(responses).toEqual([]);
  fireEvent.press(tick('Terms'));
  expect(tick('Terms')).toBeChecked();
  expect(tick('News')).not.toBeChecked();
  go();
  expect(responses).toEqual([
    {
      kind: 'screen_commit',
      primary: { kind: 'cta', action: 'primary' },
      checkboxValues: { terms: true, news: false },
    },
  ]);
  fireEvent.press(tick('Terms'));
  expect(tick('Terms')).not.toBeChecked();
});

test('a checkbox can be hit with a finger however small it is drawn', async () => {
  await showLayers([{ id: 'lyr_x', kind: 'checkbox', fieldKey: 'terms', uncheckedStyle: { size: 20 } }]);
  expect(screen.getByRole('checkbox').props.hitSlop).toBe(12);
});
