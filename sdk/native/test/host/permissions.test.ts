import { Platform } from 'react-native';
import { requestPermission } from '../../src/host/permissions';

const mockRequest = jest.fn();
const mockRequestNotifications = jest.fn();
let mockLinked = true;

jest.mock('react-native-permissions', () => ({
  get request() {
    if (!mockLinked) throw new Error('RNPermissions could not be found');
    return mockRequest;
  },
  requestNotifications: mockRequestNotifications,
}));

function on(os: 'ios' | 'android', version: number | string = 34): void {
  jest.replaceProperty(Platform, 'OS', os as never);
  Object.defineProperty(Platform, 'Version', { get: () => version, configurable: true });
}

beforeEach(() => {
  mockLinked = true;
  mockRequest.mockReset().mockResolvedValue('granted');
  mockRequestNotifications.mockReset().mockResolvedValue({ status: 'granted' });
});
afterEach(() => jest.restoreAllMocks());

it.each([
  ['ios', 'camera', 'ios.permission.CAMERA'],
  ['ios', 'microphone', 'ios.permission.MICROPHONE'],
  ['ios', 'photo_library', 'ios.permission.PHOTO_LIBRARY'],
  ['ios', 'contacts', 'ios.permission.CONTACTS'],
  ['ios', 'calendar', 'ios.permission.CALENDARS'],
  ['android', 'camera', 'android.permission.CAMERA'],
  ['android', 'microphone', 'android.permission.RECORD_AUDIO'],
  ['android', 'photo_library', 'android.permission.READ_MEDIA_IMAGES'],
  ['android', 'contacts', 'android.permission.READ_CONTACTS'],
  ['android', 'calendar', 'android.permission.READ_CALENDAR'],
] as const)('on %s asks for %s as %s', async (os, key, permission) => {
  on(os);
  expect(await requestPermission(key)).toBe('granted');
  expect(mockRequest.mock.calls).toEqual([[permission]]);
});

it('asks for files where Android knows no permission for images alone', async () => {
  on('android', 32);
  await requestPermission('photo_library');
  expect(mockRequest.mock.calls).toEqual([['android.permission.READ_EXTERNAL_STORAGE']]);
});

it('asks for notifications with alert, badge and sound', async () => {
  on('ios');
  mockRequestNotifications.mockResolvedValue({ status: 'blocked' });
  expect(await requestPermission('notifications')).toBe('blocked');
  expect(mockRequestNotifications.mock.calls).toEqual([[['alert', 'badge', 'sound']]]);
});

it.each([
  ['granted', 'granted'],
  ['limited', 'granted'],
  ['blocked', 'blocked'],
  ['unavailable', 'blocked'],
  ['denied', 'denied'],
  ['something new', 'denied'],
  [undefined, 'denied'],
])('takes the status %s as %s', async (status, outcome) => {
  on('ios');
  mockRequest.mockResolvedValue(status);
  expect(await requestPermission('camera')).toBe(outcome);
});

it.each(['location', 'constructor', ''])('denies the unknown key %j without asking', async (key) => {
  on('android');
  expect(await requestPermission(key)).toBe('denied');
  expect(mockRequest).not.toHaveBeenCalled();
});

it('denies when asking fails, and without native set-up', async () => {
  on('ios');
  mockRequest.mockRejectedValue(new Error('no'));
  expect(await requestPermission('camera')).toBe('denied');
  mockLinked = false;
  expect(await requestPermission('camera')).toBe('denied');
});
