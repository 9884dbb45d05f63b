/**
 * A typed client of the model backend contract: deadlines, cancellation, readable failures, health.
 *
 * @module
 */
export {
  type BackendCalls,
  type BackendClient,
  type BackendClientOptions,
  createBackendClient,
  type ExtensionCalls,
} from './client.ts'
export { BackendError, ensureSuccess } from './errors.ts'
export type { DuplexCall } from './invoke/duplex.ts'
export type { CallOptions, StreamOptions } from './invoke/options.ts'
export type { PartialMessage } from './method.ts'
export { pushReplies, type ReplyFlow, type ReplySink } from './push-replies.ts'
export type { ReadyOptions } from './ready.ts'
export { type FailureReading, type GrpcFailure, readStatus } from './status.ts'
