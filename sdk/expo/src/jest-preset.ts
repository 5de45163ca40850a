import { extendPreset, type JestPreset } from '@svc/native/jest-preset';

const preset: JestPreset = extendPreset(['jest-expo', '@react-native/jest-preset', 'react-native']);
export default preset;
