const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** What an app may know of `dev.json`: the address, and the key and channels of the first app's test environment. */
function read(file) {
  const none = { apiBaseUrl: 'http://127.0.0.1:4000', publishableKey: '', channels: [] };
  let dev;
  try {
    dev = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return none;
  }
  const environment = dev.apps[0]?.environments.test;
  if (!environment) return none;
  return { apiBaseUrl: dev.baseUrl, publishableKey: environment.publishableKey, channels: environment.channels };
}

/** Writes the local service's address and key beside the app, for Metro to bundle. Returns the file's path. */
exports.writeService = (app) => {
  const file = join(app, '.service.json');
  const dev = process.env.EXAMPLE_DEV_FILE ?? join(__dirname, '../../.svc/dev.json');
  writeFileSync(file, JSON.stringify(read(dev)));
  return file;
};
