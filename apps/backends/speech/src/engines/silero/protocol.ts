/** Settings of the process. */
export interface SileroLoad {
  readonly file: string
  readonly threads: number
}

/** Samples in which speech is looked for, 16 kHz mono. */
export interface SileroCall {
  readonly samples: Float32Array
}

/** Answer of a call. */
export interface SileroResult {
  /** Probability of speech, 0 to 1, of each window of {@link WINDOW} samples; the last window may be a partial one. */
  readonly probabilities: Float32Array
}

/** Samples of a window: 32 ms. */
export const WINDOW = 512
