import '../../src/jest-setup';
