import { render, screen } from '@testing-library/react-native';
import { version } from 'react';
import { Text } from 'react-native';
import Animated from 'react-native-reanimated';

test('renders text under the preset, with the React that React Native was built for', () => {
  render(
    <Animated.View>
      <Text accessibilityRole="header">Hello</Text>
    </Animated.View>,
  );
  expect(screen.getByRole('header')).toHaveTextContent('Hello');
  expect(version).toBe(jest.requireActual('react-test-renderer/package.json').version);
});
