import { Editor } from './editor';
import { type PendingStore, sendLost } from './pending';
import { Sync } from './sync';
import type { Transport } from './transport';

export type Session = {
  editor: Editor;
  sync: Sync;
  /** The names of changes that a lost tab had left and that could not be applied any more. */
  lost: readonly string[];
};

/** Opens a draft for editing: what lost tabs have left goes to the server first, so that it is in what is read. Each
 * open editor is a client of its own, so two tabs are two people, a duplicated one too. */
export async function openDraft(flow: string, transport: Transport, store: PendingStore): Promise<Session> {
  // What can't be sent stays where it is, for the next open.
  const lost = await sendLost(flow, transport, store).catch(() => []);
  const { revision, document } = await transport.read();
  const editor = Editor.open(document);
  return { editor, lost, sync: new Sync(editor, flow, revision, transport, store) };
}
