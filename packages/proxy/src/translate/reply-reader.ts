import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@svc/wire/openai'

/** `text` translates text only, `full` also calls and thoughts. */
export type TranslateMode = 'text' | 'full'

/** Options of a reply reader. */
export interface ReaderOptions {
  readonly mode: TranslateMode
  /** Wall time, milliseconds since the epoch, for replies without a time. */
  readonly now: () => number
}

/** Reads one whole reply. @throws {SvcError} `upstream_failed` for an error, a refusal or an unreadable reply */
export type ReadReply = (body: Uint8Array, options: ReaderOptions) => ChatCompletion

/** Reads one stream, event by event. */
export interface StreamReader {
  /** Whether the end event has arrived. */
  readonly hasEnded: boolean
  /**
   * Takes the data of the next event.
   *
   * @throws {SvcError} `upstream_failed` for an error or a refusal inside the stream
   */
  push(data: string): readonly ChatCompletionChunk[]
  /** The upstream's figures, where they have changed since the last call. */
  takeFigures(): CompletionUsage | undefined
  /** The last chunks after the end of the bytes; undefined where the end came too early. */
  end(): readonly ChatCompletionChunk[] | undefined
}
