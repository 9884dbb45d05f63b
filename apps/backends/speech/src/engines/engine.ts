import type { SpeechModel } from '../speech-model.ts'

/** Settings of a load that every engine shares. */
export interface LoadSettings {
  /** Absolute path of the model's file or folder, below the models folder; empty for an engine that needs none. */
  readonly path: string
  /** Threads of one call, at least 1. */
  readonly threads: number
  /** Calls that run at once, at least 1. */
  readonly parallel: number
  /** Calls that may wait. */
  readonly maxWaiting: number
  /** Memory that a process of the engine may use, in bytes. */
  readonly memoryLimit: number
  /** The other `name:value` options of the model file. */
  readonly options: ReadonlyMap<string, string>
}

/** An engine of this backend. */
export interface Engine {
  /** Options that it reads; others are named in the log. */
  readonly options: readonly string[]
  /** Whether it runs what lies at this path, by its bytes. Reads at most a few KiB. */
  recognizes(path: string): Promise<boolean>
  /**
   * Checks the files before the engine sees them, then loads them in a process of their own.
   * @throws SvcError `unprocessable` for files that the engine cannot load, with the reason
   */
  load(settings: LoadSettings, options: { readonly signal: AbortSignal }): Promise<SpeechModel>
}
