/** Argument of the load. */
export interface WhisperLoad {
  readonly file: string
}

/** What the engine says of a loaded file. */
export interface WhisperFacts {
  /** ISO 639-1 codes that it transcribes. */
  readonly languages: readonly string[]
}

/** One window of at most 30 seconds. */
export interface WhisperCall {
  /** 16 kHz mono. */
  readonly samples: Float32Array
  /** Undefined to detect it. */
  readonly language: string | undefined
  readonly translate: boolean
  readonly prompt: string
  readonly temperature: number
  /** Whether each part is a word, with its times. */
  readonly words: boolean
  readonly threads: number
  /** Positions of the encoder, 50 a second; 0 for all of its 30 seconds. */
  readonly audioContext: number
}

/** A part of the text: a segment or a word. Times in hundredths of a second from the start of the window. */
export interface WhisperPart {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Result of a call. */
export interface WhisperResult {
  readonly parts: readonly WhisperPart[]
  /** Given or detected. */
  readonly language: string
}
