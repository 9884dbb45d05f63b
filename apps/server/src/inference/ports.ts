import type { DocumentFormat } from '@svc/pii/documents'
import type { ReplyTarget } from '@svc/proxy'
import type { Ending, Logger } from '../ports.ts'
import type { Principal } from '../principal.ts'

/** What the core has to know of the route that a request came by. */
export interface RequestRoute {
  /** Path pattern; also the name of the endpoint in records. */
  readonly path: string
  /** What a model is needed for. */
  readonly usecase?: string | undefined
  readonly family: string
  readonly modelRequired?: boolean | undefined
  readonly unknownModel?: 'not_found' | 'invalid_request' | undefined
  readonly scanned?: DocumentFormat | false | undefined
  readonly scannedWhen?: 'always' | 'elsewhere' | 'asked' | undefined
}

/** One request as the core sees it, however it came. */
export interface RequestContext {
  readonly row: RequestRoute
  /** On every log line, record and reply. */
  readonly requestId: string
  readonly principal: Principal
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** The same, lighter than a signal. */
  readonly ending: Ending
  /** Monotonic milliseconds at arrival. */
  readonly startedAt: number
  readonly log: Logger
  /** A value of the path, percent-decoded. Empty where there is none of that name. */
  param(name: string): string
  /** The first value of that name in the query. */
  query(name: string): string | undefined
  /** A header, by lower-case name. */
  header(name: string): string | undefined
}

/** Bytes that count as held until they are released. */
export interface HeldBytes {
  readonly bytes: Uint8Array
  readonly release: () => void
}

/** The body of a request. */
export interface RequestBody {
  /** The whole body where it has come already; undefined where it is still to be read. @throws as {@link read} */
  whole(): HeldBytes | undefined
  /** @throws {SvcError} `too_large`, `unsupported_media`, `timeout`, `unavailable`, `cancelled` */
  read(): Promise<HeldBytes>
}

/**
 * The writer of inference replies: prepared frames straight to the Node response, waiting for the reader.
 *
 * A write resolves once the frame is handed over; while the reader's socket is full it waits, which pauses the
 * producer. One frame at a time: callers await each write.
 */
export interface ReplyWriter {
  /** Whether the status line is out: from here on an error travels in the body. */
  readonly started: boolean
  /** Whether nobody reads any more. */
  readonly isGone: boolean
  /** Where a reply that comes as bytes is written, status and headers included; undefined where none can be. */
  readonly relayTarget: ReplyTarget | undefined
  /** Adds a header to a reply that has not started; does nothing to one that has, or that has no headers. */
  setHeader(name: string, value: string): void
  /** Sends a whole reply as JSON. */
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Promise<void>
  /** Sends status and headers of a stream; nothing of it is ever compressed or buffered. */
  startStream(contentType: string, headers?: Readonly<Record<string, string>>): void
  /** @throws {SvcError} `cancelled` when the reader is gone or has stalled */
  write(frame: string | Uint8Array): Promise<void>
  /** Ends a started stream. */
  end(): void
}
