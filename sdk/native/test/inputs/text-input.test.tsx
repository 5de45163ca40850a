import type { TextInputLayer } from '@svc/core';
import { fireEvent, screen } from '@testing-library/react-native';
import { GO, showLayers } from '../support/inputs';

const field: TextInputLayer = {
  id: 'lyr_t',
  kind: 'text_input',
  fieldKey: 'name',
  classification: 'safe',
  placeholder: { default: 'Name', translations: { ar: 'الاسم' } },
};
const name = () => screen.getByLabelText('Name');
const go = () => fireEvent.press(screen.getByRole('button', { name: 'Continue' }));

test('takes words and sends them trimmed', async () => {
  const { responses } = await showLayers([field, GO]);
  go();
  expect(responses).toEqual([]);
  expect(screen.getByRole('alert')).toHaveTextContent('Please fill in this field.');
  fireEvent.changeText(name(), '  Ana ');
  go();
  expect(responses).toEqual([{ kind: 'text', value: 'Ana', classification: 'safe' }]);
});

test('asks for the keyboard, the completion and the capitals that fit', async () => {
  const kinds: [Partial<TextInputLayer>, Record<string, unknown>][] = [
    [{}, { keyboardType: 'default', autoCapitalize: 'sentences', returnKeyType: 'done', secureTextEntry: false }],
    [
      { inputType: 'email' },
      { keyboardType: 'email-address', autoComplete: 'email', textContentType: 'emailAddress', autoCapitalize: 'none' },
    ],
    [{ inputType: 'phone' }, { keyboardType: 'phone-pad', autoComplete: 'tel', textContentType: 'telephoneNumber' }],
    [{ inputType: 'url' }, { keyboardType: 'url', textContentType: 'URL', autoCorrect: false }],
    [{ inputType: 'number' }, { keyboardType: 'number-pad' }],
    [
      { returnKeyType: 'search', autoCapitalize: 'words' },
      { returnKeyType: 'search', autoCapitalize: 'words' },
    ],
    [{ masked: true }, { secureTextEntry: true, autoComplete: 'off', textContentType: 'none', autoCapitalize: 'none' }],
    [
      { classification: 'sensitive', fieldKey: 'first_name' },
      { secureTextEntry: false, autoComplete: 'given-name', textContentType: 'givenName', autoCapitalize: 'none' },
    ],
    [
      { inputType: 'multiline', masked: true },
      { multiline: true, returnKeyType: 'default', secureTextEntry: false },
    ],
  ];
  for (const [layer, props] of kinds) {
    await showLayers([{ ...field, ...layer }, GO]);
    expect(name().props).toMatchObject(props);
    screen.unmount();
  }
});

test('submits by the return key, but not where it begins a line', async () => {
  const { responses } = await showLayers([field, GO]);
  fireEvent.changeText(name(), 'Ana');
  fireEvent(name(), 'submitEditing');
  expect(responses).toHaveLength(1);
  screen.unmount();
  const multiline = await showLayers([{ ...field, inputType: 'multiline' }, GO]);
  fireEvent.changeText(name(), 'a\n');
  fireEvent(name(), 'submitEditing');
  expect(multiline.responses).toEqual([]);
  go();
  expect(multiline.responses).toEqual([{ kind: 'text', value: 'a\n', classification: 'safe' }]);
});

test('says what is wrong when its mode asks for it', async () => {
  const short: TextInputLayer = { ...field, minLength: 3, helperText: { default: 'At least three' } };
  await showLayers([{ ...short, validationMode: 'live' }, GO]);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByText('At least three')).toBeOnTheScreen();
  expect(name().props.accessibilityHint).toBe('At least three');
  fireEvent.changeText(name(), 'a');
  expect(screen.getByRole('alert')).toHaveTextContent('Please enter at least 3 characters.');
  expect(name().props.accessibilityHint).toBe('Please enter at least 3 characters.');
  screen.unmount();

  await showLayers([{ ...short, validationMode: 'onBlur' }, GO]);
  fireEvent.changeText(name(), 'a');
  expect(screen.queryByRole('alert')).toBeNull();
  fireEvent(name(), 'blur');
  expect(screen.getByRole('alert')).toBeOnTheScreen();
  screen.unmount();

  await showLayers([{ ...short, validationMode: 'onSubmit' }, GO]);
  fireEvent.changeText(name(), 'a');
  fireEvent(name(), 'blur');
  expect(screen.queryByRole('alert')).toBeNull();
  go();
  expect(screen.getByRole('alert')).toBeOnTheScreen();
});

test('keeps digits only where a number is asked for', async () => {
  await showLayers([{ ...field, inputType: 'number' }, GO]);
  fireEvent.changeText(name(), '1a2');
  expect(name().props.value).toBe('12');
});

test('reads from right to left in Arabic', async () => {
  await showLayers([field, GO], { locale: 'ar' });
  expect(screen.getByLabelText('الاسم')).toHaveStyle({ writingDirection: 'rtl' });
});

test('takes nothing on a screen that is only shown', async () => {
  await showLayers([field, GO], { mode: 'static' });
  expect(name().props.editable).toBe(false);
});
