/** What was typed and the server does not have yet, by flow, in this browser: it survives a closed tab and a killed
 * server. Nothing breaks where a browser keeps nothing. */
export type Unsaved = { text: string; revision: number };

const store = 'drafts';

function open(): Promise<IDBDatabase> {
  return new Promise((done, failed) => {
    const request = indexedDB.open('svc', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function within<T>(mode: IDBTransactionMode, act: (drafts: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => done(request.result);
      transaction.onerror = () => failed(transaction.error);
    });
  } finally {
    database.close();
  }
}

export const keptDrafts = {
  async read(flow: string): Promise<Unsaved | undefined> {
    try {
      return await within<Unsaved | undefined>('readonly', (drafts) => drafts.get(flow));
    } catch {
      return undefined;
    }
  },
  async write(flow: string, unsaved: Unsaved | undefined): Promise<void> {
    try {
      if (unsaved) await within('readwrite', (drafts) => drafts.put(unsaved, flow));
      else await within('readwrite', (drafts) => drafts.delete(flow));
    } catch {
      // private windows may refuse
    }
  },
};
