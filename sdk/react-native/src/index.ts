export * from '@svc/native';
