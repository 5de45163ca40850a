import { graphql } from '../../graphql/graphql';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';

const signOutDocument = graphql<'SignOut'>(`mutation SignOut { signOut { userId } }`);

const channel = new BroadcastChannel('svc.session');

/** Ends the session in all tabs of the browser and forgets what was read in it. */
export async function signOut(): Promise<void> {
  await send(signOutDocument, {});
  channel.postMessage('ended');
  leave();
}

channel.onmessage = leave;

function leave() {
  queryClient.clear();
  location.assign('/sign-in');
}
