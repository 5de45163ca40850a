/** Where the server serves the web example of the SDK; empty where it does not. */
export const examplePath = document.querySelector<HTMLMetaElement>('meta[name=svc-example]')?.content ?? '';
