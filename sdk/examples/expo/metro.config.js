const { join } = require('node:path');
const { getDefaultConfig } = require('expo/metro-config');
const { writeService } = require('../service.cjs');

const workspace = join(__dirname, '../..');
const service = writeService(__dirname);
const config = getDefaultConfig(__dirname);

// The workspace has it for its tests; this app sells nothing.
config.resolver.blockList = [config.resolver.blockList ?? [], /\/node_modules\/react-native-purchases/].flat();
config.watchFolders = [workspace];
config.resolver.nodeModulesPaths = [join(workspace, 'node_modules')];
config.resolver.resolveRequest = (context, name, platform) =>
  name === 'svc-service' ? { type: 'sourceFile', filePath: service } : context.resolveRequest(context, name, platform);

module.exports = config;
