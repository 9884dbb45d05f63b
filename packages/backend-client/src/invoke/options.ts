import {
  type CallOptions as GrpcCallOptions,
  Metadata,
  type ServiceError,
  type StatusObject,
  status,
} from '@grpc/grpc-js'
import { type BackendError, type ErrorContext, toBackendError } from '../errors.ts'
import { checkMetadata } from './metadata.ts'

/** Options of every call. */
export interface CallOptions {
  /** Aborting it cancels the call and rejects at once. */
  readonly signal?: AbortSignal | undefined
  /** Time for the whole call, streams included, in milliseconds. @default unlimited */
  readonly timeoutMs?: number | undefined
  /** Further metadata of the call. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /**
   * Takes the text of the trailing metadata of a call that succeeded, before the promise of its reply settles or its stream
   * ends.
   */
  readonly onTrailers?: ((trailers: Readonly<Record<string, string>>) => void) | undefined
}

/** Options of a stream. */
export interface StreamOptions extends CallOptions {
  /** Longest wait for the next reply while the caller is waiting for one, in milliseconds. @default unlimited */
  readonly idleTimeoutMs?: number | undefined
}

/** Metadata of one call. The token wins over a caller's own `authorization`. */
export function callMetadata(token: string | undefined, options: CallOptions): Metadata {
  checkMetadata(options.metadata)
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value)
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  return metadata
}

/** Hands on the trailing metadata of a call that succeeded. */
export function passTrailers({ code, metadata }: StatusObject, { onTrailers }: CallOptions): void {
  if (code === status.OK) onTrailers?.(readText(metadata))
}

/** Makes the error of a grpc-js call. */
export function toCallError(error: ServiceError, context: ErrorContext): BackendError {
  // A failure inside of grpc-js may come without a text.
  const { code, details = '', metadata } = error as Partial<ServiceError>
  const trailers = metadata === undefined ? undefined : readText(metadata)
  return toBackendError({ code: code ?? status.INTERNAL, details, trailers, cause: error }, context)
}

function readText(metadata: Metadata): Record<string, string> {
  const entries = Object.entries(metadata.getMap())
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Deadline of one call. */
export function callDeadline({ timeoutMs }: CallOptions): GrpcCallOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs }
}
