import type { Principal } from '@svc/auth'
import type { RequestFormat } from '@svc/pii/documents'
import type { ReplyTarget } from '@svc/proxy'
import type { AbortSignalLike, Logger } from '../../ports.ts'
import type { FormRules, HeldForm } from '../documents/form.ts'

/**
 * When a route with a format is scanned: always, only where the model is served elsewhere, so that the text leaves this
 * machine, or only where the file of the model asks for it with this key of `pii`.
 */
export type ScannedWhen = 'always' | 'elsewhere' | 'scan_rerank' | 'scan_media_prompts'

/** The route of a request, as far as the core needs it. */
export interface RequestRoute {
  /** Path pattern; also the name of the endpoint in records. */
  readonly path: string
  /** The HTTP method. */
  readonly method?: string | undefined
  /** The usecase that the model must have. */
  readonly usecase?: string | undefined
  readonly family: string
  readonly modelRequired?: boolean | undefined
  readonly unknownModel?: 'not_found' | 'invalid_request' | undefined
  readonly scanned?: RequestFormat | false | undefined
  readonly scannedWhen?: ScannedWhen | undefined
}

/** The context of one request, for every transport. */
export interface RequestContext {
  readonly route: RequestRoute
  /** The correlation id; every log line, record and reply has it. */
  readonly requestId: string
  /** The address of the server as the caller sees it, with a slash at the end. */
  readonly baseUrl: string
  readonly principal: Principal
  /** Aborts when the client has left, the deadline has passed or the server stops. */
  readonly signal: AbortSignal
  /** The same abort as {@link signal}, cheaper to listen to. */
  readonly abort: AbortSignalLike
  /** Monotonic milliseconds at arrival. */
  readonly startedAt: number
  /** Whether it is a part of another request, which counts under the global limit already. @default false */
  readonly isInside?: boolean | undefined
  /** The end user of the request that it belongs to, as it is stored. @default the one whom the request names */
  readonly endUser?: string | undefined
  readonly log: Logger
  /** Gives a header of the request by lower-case name. */
  header(name: string): string | undefined
  /**
   * Notes the model that serves the request: the request ends when its caller loses the right to it.
   *
   * @param through further names by which the model is called
   */
  useModel(model: string, through: readonly string[]): void
}

/** Bytes that count against the memory for bodies until they are released. */
export interface HeldBytes {
  readonly bytes: Uint8Array
  readonly release: () => void
}

/** The body of a request. Only one of its methods is called. */
export interface RequestBody {
  /** Gives the whole body if it has arrived, else undefined. @throws as {@link read} */
  whole(): HeldBytes | undefined
  /** @throws {SvcError} `too_large`, `unsupported_media`, `timeout`, `unavailable`, `cancelled` */
  read(): Promise<HeldBytes>
  /** Reads the body as a form. @throws {SvcError} as {@link read}; `invalid_request`, `insufficient_storage` */
  form(rules: FormRules): Promise<HeldForm>
}

/**
 * Writes inference replies to their client.
 *
 * A write resolves once the frame is handed over. It waits while the client's socket is full, which pauses the
 * producer. Callers await each write.
 */
export interface ReplyWriter {
  /** Whether the status line is sent; from then on an error travels in the body. */
  readonly started: boolean
  /** Whether the client has left. */
  readonly isGone: boolean
  /** Whether the client gets only the head, as in the reply to a HEAD request. @default false */
  readonly dropsBody?: boolean | undefined
  /** Target for the bytes of a relayed reply with status and headers. Undefined when the transport cannot relay. */
  readonly relayTarget: ReplyTarget | undefined
  /** Sends a whole reply as JSON. */
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Promise<void>
  /** Sends status and headers of a stream. Streams are never compressed or buffered. @param status @default 200 */
  startStream(contentType: string, headers?: Readonly<Record<string, string>>, status?: number): void
  /** @throws {SvcError} `cancelled` when the reader is gone or has stalled */
  write(frame: string | Uint8Array): Promise<void>
  /** Ends a started stream. */
  end(): void
}
