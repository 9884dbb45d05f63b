/** One entity of a token classifier's result. */
export interface TokenEntity {
  /** UTF-8 byte offsets into the given text, half open. */
  readonly start: number
  readonly end: number
  readonly group: string
  /** 0..1. */
  readonly score: number
}

/** A model that classifies tokens, for the NER tier. */
export interface TokenClassifier {
  /** All groups that it reports, if known: settings of any other group are refused then. */
  readonly groups?: readonly string[] | undefined
  /**
   * Finds the entities of one text. `minScore` is a hint; the caller filters again.
   *
   * @throws any error; the request then fails
   */
  classify(
    text: string,
    options: {
      readonly minScore: number
      readonly signal: AbortSignal
      /** The request that the text is of. */
      readonly correlationId?: string | undefined
    },
  ): Promise<readonly TokenEntity[]>
  /**
   * Number of tokens that the model reads at once, if known: longer texts are cut accordingly, so that no text is left
   * unread. A classifier of texts of any length may return more.
   *
   * @default 512, the limit of most such models
   */
  contextSize?(options: { readonly signal: AbortSignal }): Promise<number | undefined>
}

/** Reads files of terms. The paths are as in the configuration, and stay inside the models folder. */
export interface TermFiles {
  /**
   * Reads the text of a file, and a stamp that changes with the file; undefined when it is missing, unreadable or
   * outside of the folder.
   */
  read(path: string): Promise<{ readonly text: string; readonly stamp: string } | undefined>
}

/** Ends a call early: an abort signal, or a lighter object with the same members. */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void
}

/** The clock of a detector's time limit. */
export interface Clock {
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Receives warnings. Fields never hold scanned text. */
export interface Logger {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}
