// Package sdkapi is the REST interface for client SDKs: the paths under
// /v1/sdk, their checks in the order of wire.md §11, their errors, limits and
// CORS, and the OpenAPI document that describes them.
//
// An endpoint is data plus an execute function. Every request goes through the
// same checks and leaves through one error exit. What a channel serves is
// decided by package delivery, what an event means by package ingest, what
// becomes of a person by package customer and of a payment by package revenue;
// this package knows none of it.
package sdkapi
