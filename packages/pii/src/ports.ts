/** One entity as a token classifier reports it. */
export interface TokenEntity {
  /** UTF-8 byte offsets into the text that was sent, half open. */
  readonly start: number
  readonly end: number
  readonly group: string
  /** 0..1. */
  readonly score: number
}

/** A model that classifies tokens: what the NER tier runs on. */
export interface TokenClassifier {
  /**
   * The entities of one text. `minScore` is a hint; the caller filters again.
   *
   * @throws whatever went wrong; the request then fails
   */
  classify(
    text: string,
    options: { readonly minScore: number; readonly signal: AbortSignal },
  ): Promise<readonly TokenEntity[]>
  /**
   * How many tokens the model reads at once, where that is known: longer texts are cut by it, so that nothing is left off
   * unread. A classifier that reads texts of any length may say more.
   *
   * @default 512, which most such models have
   */
  contextSize?(options: { readonly signal: AbortSignal }): Promise<number | undefined>
}

/** Reads files of protected terms; paths are as the configuration writes them, and stay inside the models folder. */
export interface TermFiles {
  /**
   * The text of a file and a stamp that changes when the file does; undefined when it is missing, unreadable or outside
   * of the folder.
   */
  read(path: string): Promise<{ readonly text: string; readonly stamp: string } | undefined>
}

/** What ends a call early: an abort signal, or something lighter that can be looked at and listened to. */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void
}

/** Time, for the limit of a detector. */
export interface Clock {
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Where warnings go that nobody waits for. Fields never hold scanned text. */
export interface Logger {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}
