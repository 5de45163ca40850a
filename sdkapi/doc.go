// Package sdkapi is the REST interface for client SDKs: the five paths under
// /v1/sdk, their checks in the order of wire.md §11, their errors, limits and
// CORS, and the OpenAPI document that describes them.
//
// An endpoint is data plus an execute function. Every request goes through the
// same checks and leaves through one error exit. What a channel serves is
// decided by package delivery, what an event means by package ingest; this
// package knows neither.
package sdkapi
