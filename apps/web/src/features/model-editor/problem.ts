/** A fault in a model file. */
export interface Problem {
  /**
   * The layer that found it: the text is not YAML, the schema refuses it, or a rule over several keys or files does.
   */
  readonly layer: 'syntax' | 'schema' | 'rule'
  /** Warnings do not keep the server from using the file. */
  readonly severity: 'error' | 'warning'
  /** A key of the translations below `problem`. */
  readonly code: string
  readonly values?: Readonly<Record<string, string>>
  /** The key it is about, such as `router.candidates.0.labels`; empty for the whole file. */
  readonly path: string
  /** Offsets in the text. */
  readonly from: number
  readonly to: number
  /** Counted from 1. */
  readonly line: number
}
