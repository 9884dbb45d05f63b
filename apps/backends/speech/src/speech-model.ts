import type { HostedModel } from '@svc/backend-kit'

/** A loaded model. What it cannot do is absent, and answers UNIMPLEMENTED. */
export interface SpeechModel extends HostedModel {
  /** Engine that runs it. */
  readonly engine: EngineName
  /** Number of calls that run now. */
  readonly busy: number
  /** Observed memory of its processes, in bytes. */
  readonly memoryBytes: number
  /** Number of calls that run at once; others wait. */
  readonly parallel: number
  readonly transcriber?: Transcriber | undefined
  readonly synthesizer?: Synthesizer | undefined
  readonly speechDetector?: SpeechDetector | undefined
  readonly diarizer?: Diarizer | undefined
}

/** Engines of this backend. */
export const ENGINES = ['whisper', 'sherpa', 'silero', 'flite'] as const
export type EngineName = (typeof ENGINES)[number]

/** Options of every call. */
export interface CallOptions {
  /** An abort ends the call within 100 ms and frees its slot, whatever the engine is doing. */
  readonly signal: AbortSignal
}

/** Turns speech into text. */
export interface Transcriber {
  /**
   * Transcribes 16 kHz mono samples in -1 to 1, which are read as the work goes on. Yields segments as they are found.
   * @throws SvcError `invalid_request` for a language that the model does not know
   */
  transcribe(
    samples: AsyncIterable<Float32Array>,
    request: TranscriptionRequest,
    options: CallOptions,
  ): AsyncIterable<SpokenSegment>
}

/** What to listen for. */
export interface TranscriptionRequest {
  /** ISO 639-1 code, or undefined to detect it. */
  readonly language: string | undefined
  /** Whether the text is translated into English. */
  readonly translate: boolean
  /** Words and names that are likely to occur. */
  readonly prompt: string
  /** 0 to 1. */
  readonly temperature: number
  /** Whether segments carry their words. */
  readonly words: boolean
}

/** A stretch of a transcript. Times in seconds from the start of the audio. */
export interface SpokenSegment {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly words: readonly SpokenWord[]
  /** Detected or given ISO 639-1 code; empty where the engine does not tell. */
  readonly language: string
}

/** A word of a transcript. Times in seconds. */
export interface SpokenWord {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Speaks. */
export interface Synthesizer {
  /** Names of the voices, the default one first. */
  readonly voices: readonly Voice[]
  /** Other names of voices, from the model file. */
  readonly aliases: ReadonlyMap<string, Voice>
  /** Samples a second of the given voice's output. */
  sampleRate(voice: Voice): number
  /**
   * Speaks a text clause by clause; yields 16-bit samples as they are made.
   *
   * @throws SpeechError `invalid_request` for a text that is too long or has nothing to speak
   */
  speak(request: SpeechRequest, options: CallOptions): AsyncIterable<Int16Array>
}

/** A voice of a model. */
export interface Voice {
  readonly name: string
  /** ISO 639-1 code, or empty. */
  readonly language: string
}

/** What to say. */
export interface SpeechRequest {
  readonly text: string
  readonly voice: Voice
  /** 0.25 to 4; 1 is the voice's own speed. */
  readonly speed: number
}

/** Finds spoken stretches. */
export interface SpeechDetector {
  /** Times in seconds; an end of 0 means still speaking at the end of the samples. Samples are 16 kHz mono. */
  detect(samples: Float32Array, options: CallOptions): Promise<readonly TimeRange[]>
}

/** A stretch of audio, in seconds. */
export interface TimeRange {
  readonly start: number
  readonly end: number
}

/** Finds who speaks when. */
export interface Diarizer {
  diarize(
    samples: AsyncIterable<Float32Array>,
    request: DiarizationRequest,
    options: CallOptions,
  ): Promise<readonly (TimeRange & { readonly speaker: number })[]>
}

/** Limits of a diarization; 0 leaves one to the model. */
export interface DiarizationRequest {
  readonly speakers: number
  readonly clusteringThreshold: number
  readonly minOnSeconds: number
  readonly minOffSeconds: number
}
