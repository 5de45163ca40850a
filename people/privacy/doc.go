// Package privacy carries out what people may ask about their data: to have it, and to erase it.
//
// A person is erased in three steps. A tombstone for each of the person's devices is committed first; ingest takes
// nothing of them from then on. Then every transaction of ingest that may not have seen the tombstones is waited for.
// What is stored is removed last, and readers of reports load the environment anew. Each step may be cut off and done
// again: the request stays, with the ids it is about, until everything is gone, and names nobody afterwards.
//
// Names of pages, events and steps are the app's and stay: they must not name people.
package privacy
