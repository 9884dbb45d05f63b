import type { ScannedFormat, ScannedPaths } from './filter/scanned-paths.ts'

/** A request whose body a filter must pass. */
export interface ScannedRequest {
  /** The host of the CONNECT request, in canonical form. */
  readonly host: string
  readonly port: number
  readonly format: ScannedFormat
  /** The body without its content coding. */
  readonly body: Uint8Array
  /** The id of the client (`x-correlation-id`, `x-request-id`), or a new one. */
  readonly correlationId: string
}

/** Restores values in the reply to a filtered request. */
export interface ReplyRestorer {
  /** Restores a whole JSON reply; returns the same bytes when nothing changes. */
  restoreBody(body: Uint8Array): Uint8Array
  /** Begins an event stream. */
  startStream(): ReplyStream
}

/** Restores values in an event stream whose bytes come cut anywhere. */
export interface ReplyStream {
  /** Takes the next bytes and returns the bytes that are ready. They must not change afterwards. */
  push(bytes: Uint8Array): readonly Uint8Array[]
  /** Returns the rest. */
  end(): readonly Uint8Array[]
}

/** The verdict of a filter. */
export type FilterVerdict =
  | {
      readonly blocked: false
      /** The body to forward: the given bytes when nothing changes. */
      readonly body: Uint8Array
      /** Restores values in the reply. Without it a reply goes to the client byte for byte. */
      readonly restorer?: ReplyRestorer | undefined
    }
  | {
      readonly blocked: true
      /** @default 'request blocked by content policy (sensitive data detected)' */
      readonly message?: string | undefined
      /** Members beside `error` in the body of the refusal. */
      readonly fields?: Readonly<Record<string, unknown>> | undefined
    }

/** Decides on the bodies of scanned paths. */
export interface BodyFilter {
  /**
   * @throws {SvcError} of kind `invalid_request`, `too_large` or `unsupported_media` for a body that cannot be scanned:
   *   the client gets its status and message. Any other error is a 503 `pii_ner_unavailable`. Nothing is forwarded then
   */
  filter(request: ScannedRequest, options: { readonly signal: AbortSignal }): Promise<FilterVerdict>
}

/** The rules of a listed host. */
export interface HostRules {
  /** Without a filter, requests go to the host as they came. */
  readonly filter: BodyFilter | undefined
  /** The paths whose bodies the filter sees. @default `/v1/chat/completions` and `/v1/messages` */
  readonly paths?: ScannedPaths | undefined
}

/** Says which hosts are intercepted. */
export interface HostPolicy {
  /**
   * Finds the rules of a host in canonical form. Asked once for each connection and again for each request, so that
   * changed rules act at once. A host that is not listed any more keeps its last rules on open connections.
   *
   * @returns undefined for a host whose connections are tunnelled
   */
  find(host: string): HostRules | undefined
}
