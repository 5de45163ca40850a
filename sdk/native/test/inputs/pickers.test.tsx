import type { AddressInputLayer, PhoneInputLayer } from '@svc/core';
import { act, fireEvent, screen } from '@testing-library/react-native';
import { GO, showLayers } from '../support/inputs';

const go = () => fireEvent.press(screen.getByRole('button', { name: 'Continue' }));
/** Lets what is loaded with a layer arrive. */
const arrive = () => act(() => new Promise((resolve) => setTimeout(resolve, 0)));

describe('a phone number', () => {
  const phone: PhoneInputLayer = {
    id: 'lyr_p',
    kind: 'phone_input',
    fieldKey: 'phone',
    classification: 'sensitive',
    placeholder: { default: 'Your number' },
  };
  const number = () => screen.getByLabelText('Your number');
  const country = () => screen.getByRole('button', { name: 'Country' });

  test('is formatted as its country writes it, and can be erased', async () => {
    await showLayers([phone, GO]);
    await arrive();
    fireEvent.changeText(number(), '2015550123');
    expect(number().props.value).toBe('(201) 555-0123');
    for (const typed of ['201', '(201']) fireEvent.changeText(number(), typed);
    expect(number().props.value).toBe('20');
    expect(number().props).toMatchObject({
      keyboardType: 'phone-pad',
      autoComplete: 'tel',
      textContentType: 'telephoneNumber',
    });
  });

  test('is taken apart when it is pasted with its country', async () => {
    const { responses } = await showLayers([phone, GO]);
    await arrive();
    fireEvent.changeText(number(), '+49 30 1234567');
    expect(country().props.accessibilityValue).toMatchObject({ text: 'Germany +49' });
    go();
    expect(responses).toEqual([
      {
        kind: 'phone',
        value: '+49301234567',
        countryCode: 'DE',
        nationalNumber: '301234567',
        classification: 'sensitive',
      },
    ]);
  });

  test('says what is wrong after the field was left', async () => {
    const { responses } = await showLayers([phone, GO]);
    fireEvent.changeText(number(), '12');
    expect(screen.queryByRole('alert')).toBeNull();
    fireEvent(number(), 'blur');
    expect(screen.getByRole('alert')).toHaveTextContent('Please enter a phone number.');
    go();
    expect(responses).toEqual([]);
  });

  test('takes its country from a list that can be searched by name, code and dialling code', async () => {
    const { responses } = await showLayers([phone, GO]);
    fireEvent.press(country());
    expect(screen.getByRole('radio', { name: 'United States +1' })).toBeChecked();
    const found = () =>
      screen.queryAllByRole('radio').map(({ props }) => props['aria-label'] ?? props.accessibilityLabel);
    const search = (query: string) => fireEvent.changeText(screen.getByLabelText('Search'), query);
    search('turkiye');
    expect(found()).toEqual(['Türkiye +90']);
    search('+35');
    expect(found()).toEqual(['Ireland +353', 'Portugal +351', 'Finland +358']);
    search('zz9');
    expect(screen.getByText('Nothing found.')).toBeOnTheScreen();
    search('nz');
    fireEvent.press(screen.getByRole('radio', { name: 'New Zealand +64' }));
    expect(screen.queryByLabelText('Search')).toBeNull();
    fireEvent.changeText(number(), '021 123 4567');
    go();
    expect(responses).toMatchObject([{ kind: 'phone', value: '+64211234567', countryCode: 'NZ' }]);
  });

  test('keeps its country when the list is left', async () => {
    await showLayers([{ ...phone, defaultCountryCode: 'FR', allowedCountryCodes: ['FR', 'BE'] }, GO]);
    fireEvent.press(country());
    expect(screen.getAllByRole('radio')).toHaveLength(2);
    fireEvent.press(screen.getByRole('button', { name: 'Close' }));
    expect(country().props.accessibilityValue).toMatchObject({ text: 'France +33' });
  });

  test('may be left out where it is not required', async () => {
    const { responses } = await showLayers([{ ...phone, required: false }, GO]);
    go();
    expect(responses).toMatchObject([{ kind: 'phone', value: '', nationalNumber: '' }]);
  });
});

describe('an address', () => {
  const address: AddressInputLayer = {
    id: 'lyr_ad',
    kind: 'address_input',
    fieldKey: 'home',
    name: 'Home',
    classification: 'sensitive',
  };

  test('is taken line by line, and its country from a list', async () => {
    const { responses } = await showLayers([address, GO]);
    go();
    expect(screen.getByRole('alert')).toHaveTextContent('Please fill in this field.');
    expect(screen.getByLabelText('Address').props.accessibilityHint).toBe('Please fill in this field.');
    const lines = { Address: ' 1 Main St ', City: 'Springfield', 'Postal code': 'K1A 0B1', 'State or region': '' };
    for (const [label, value] of Object.entries(lines)) fireEvent.changeText(screen.getByLabelText(label), value);
    fireEvent.press(screen.getByRole('button', { name: 'Country' }));
    fireEvent.changeText(screen.getByLabelText('Search'), 'canada');
    fireEvent.press(screen.getByRole('radio', { name: 'Canada' }));
    go();
    expect(responses).toEqual([
      {
        kind: 'address',
        value: { line1: '1 Main St', city: 'Springfield', postalCode: 'K1A 0B1', country: 'CA' },
        classification: 'sensitive',
      },
    ]);
  });

  test('tells phones what each line is, and leads from line to line', async () => {
    await showLayers([{ ...address, showLine2: false }, GO]);
    expect(screen.queryByLabelText('Address, line 2')).toBeNull();
    expect(screen.getByLabelText('Home').props.role).toBe('group');
    const hints = ['Address', 'City', 'State or region', 'Postal code'].map((label) => {
      const { textContentType, returnKeyType } = screen.getByLabelText(label).props;
      return [textContentType, returnKeyType];
    });
    expect(hints).toEqual([
      ['streetAddressLine1', 'next'],
      ['addressCity', 'next'],
      ['addressState', 'next'],
      ['postalCode', 'done'],
    ]);
  });

  test('says what is wrong with a line once it was left', async () => {
    await showLayers([address, GO]);
    fireEvent(screen.getByLabelText('City'), 'blur');
    expect(screen.queryByRole('alert')).toBeNull();
    fireEvent(screen.getByLabelText('Address'), 'blur');
    expect(screen.getByRole('alert')).toBeOnTheScreen();
  });
});
