import '@svc/native/jest-setup';
