import { type CallOptions as GrpcCallOptions, Metadata } from '@grpc/grpc-js'

/** What every call takes beside its request. */
export interface CallOptions {
  /** Aborting it cancels the call and rejects at once. */
  readonly signal?: AbortSignal | undefined
  /** Time for the whole call, streams included, in milliseconds. @default unlimited */
  readonly timeoutMs?: number | undefined
  /** Further metadata of the call. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** What streams take. */
export interface StreamOptions extends CallOptions {
  /** Longest wait for the next reply while the caller is waiting for one, in milliseconds. @default unlimited */
  readonly idleTimeoutMs?: number | undefined
}

/** Metadata of one call. The token wins over a caller's own `authorization`. */
export function callMetadata(token: string | undefined, options: CallOptions): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value)
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  return metadata
}

/** Deadline of one call. */
export function callDeadline({ timeoutMs }: CallOptions): GrpcCallOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs }
}
