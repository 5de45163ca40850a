import 'react-native-get-random-values';
import { AppRegistry } from 'react-native';
import { App } from './src/app';

AppRegistry.registerComponent('SvcExample', () => App);
