import { extendPreset, type JestPreset } from '@svc/native/jest-preset';

const preset: JestPreset = extendPreset(['@react-native/jest-preset', 'react-native']);
export default preset;
