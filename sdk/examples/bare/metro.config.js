const { join } = require('node:path');
const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config');
const { writeService } = require('../service.cjs');

const workspace = join(__dirname, '../..');
const service = writeService(__dirname);

module.exports = mergeConfig(getDefaultConfig(__dirname), {
  watchFolders: [workspace],
  resolver: {
    // The workspace has it for its tests; this app sells nothing.
    blockList: [/\/node_modules\/react-native-purchases/],
    nodeModulesPaths: [join(workspace, 'node_modules')],
    resolveRequest: (context, name, platform) =>
      name === 'svc-service'
        ? { type: 'sourceFile', filePath: service }
        : context.resolveRequest(context, name, platform),
  },
});
