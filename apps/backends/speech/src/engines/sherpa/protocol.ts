/** Settings of the process: one of three kinds of work, in the words of sherpa-onnx. */
export type SherpaLoad =
  | { readonly kind: 'voice'; readonly config: Readonly<Record<string, unknown>> }
  | { readonly kind: 'recogniser'; readonly config: Readonly<Record<string, unknown>> }
  | { readonly kind: 'diarizer'; readonly config: Readonly<Record<string, unknown>> }

/** Facts about a loaded voice. */
export interface VoiceFacts {
  readonly sampleRate: number
  readonly speakers: number
}

export type SherpaCall =
  | { readonly kind: 'speak'; readonly text: string; readonly speaker: number; readonly speed: number }
  /** Samples of 16 kHz mono. */
  | { readonly kind: 'transcribe'; readonly samples: Float32Array }
  | { readonly kind: 'diarize'; readonly samples: Float32Array; readonly clustering: Clustering }

/** How speakers are told apart. */
export interface Clustering {
  /** -1: by the threshold. */
  readonly numClusters: number
  readonly threshold: number
}

/** Spoken samples in -1 to 1. */
export interface SpokenResult {
  readonly samples: Float32Array
}

/** What a recogniser heard. Times in seconds. */
export interface HeardResult {
  readonly text: string
  readonly tokens: readonly string[]
  /** Begin of each token; empty where the model tells no times. */
  readonly timestamps: readonly number[]
  readonly language: string
}

/** Who speaks when. Times in seconds. */
export type DiarizedResult = readonly { readonly start: number; readonly end: number; readonly speaker: number }[]
