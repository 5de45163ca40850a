import { graphql } from '../../graphql/graphql';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';

const signOutDocument = graphql<'SignOut'>(`mutation SignOut { signOut { userId } }`);

/** Ends the session and forgets what was read in it. */
export async function signOut(): Promise<void> {
  await send(signOutDocument, {});
  queryClient.clear();
  location.assign('/sign-in');
}
