import * as safeArea from 'react-native-safe-area-context';
import * as svg from 'react-native-svg';
import Ionicons from './ionicons';
import LinearGradient from './linear-gradient';
import Lottie from './lottie';

// What a device links, in versions for browsers: these have no `require` to look anything up with.

export const loadGradient = () => LinearGradient;
export const loadLottie = () => Lottie;
export const loadIonicons = () => Ionicons;
export const loadSvg = () => svg;
export const loadSafeArea = () => safeArea;
