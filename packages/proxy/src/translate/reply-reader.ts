import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@svc/wire/openai'

/** What is carried over: text alone, or calls and thoughts too. */
export type TranslateMode = 'text' | 'full'

/** What a reader takes beside the bytes. */
export interface ReaderOptions {
  readonly mode: TranslateMode
  /** Wall time, milliseconds since the epoch, for replies that do not say when they were made. */
  readonly now: () => number
}

/** What a reader of a stream takes beside the bytes. */
export interface StreamOptions extends ReaderOptions {
  /** Takes the figures whenever the upstream gives some. */
  readonly onUsage?: ((usage: CompletionUsage) => void) | undefined
}

/** Reads one whole reply. @throws {SvcError} `upstream_failed` when it is an error, a refusal or no reply at all */
export type ReadReply = (body: Uint8Array, options: ReaderOptions) => ChatCompletion

/** Reads one stream, event by event. */
export interface StreamReader {
  /** Whether the end event has come. */
  readonly hasEnded: boolean
  /**
   * Takes the data of the next event.
   *
   * @throws {SvcError} `upstream_failed` for an error or a refusal inside the stream
   */
  push(data: string): readonly ChatCompletionChunk[]
  /** What is still to be said once the bytes have ended; nothing is returned where the end came too early. */
  end(): readonly ChatCompletionChunk[] | undefined
}
