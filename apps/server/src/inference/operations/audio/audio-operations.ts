import type { OperationFigures } from '../operation-figures.ts'
import type { Transcript } from './transcript.ts'

/** Sound that a backend has written to a file. The file exists until the result is released. */
export interface MadeSound {
  readonly path: string
  /** The type that its first bytes show. */
  readonly mediaType: string
  readonly sizeBytes: number
  /** Undefined when the header does not tell it. */
  readonly seconds: number | undefined
}

export interface MadeSoundResult extends OperationFigures {
  readonly sound: MadeSound
}

/** A recording to write down. */
export interface TranscribeRequest {
  readonly kind: 'transcribe'
  /** The file, where the backend reads it. */
  readonly path: string
  /** A code of ISO 639. @default the model detects it */
  readonly language?: string | undefined
  /** Whether the text is in English. */
  readonly translates: boolean
  /** Whether speakers are told apart, by models that can. */
  readonly diarizes: boolean
  readonly prompt?: string | undefined
  readonly temperature?: number | undefined
  readonly granularities: readonly ('word' | 'segment')[]
  /** Whether the text is given while it is heard. */
  readonly stream: boolean
}

/** A part of a transcript that is given while it is heard. The whole transcript comes last. */
export type TranscriptPart =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'done'; readonly transcript: Transcript }

/** A transcript: whole, or live. */
export interface TranscribeResult extends OperationFigures {
  /** Absent when it is live. */
  readonly transcript?: Transcript | undefined
  readonly live?: AsyncIterable<TranscriptPart> | undefined
}

/** A text to speak. */
export interface SpeakRequest {
  readonly kind: 'speak'
  readonly text: string
  /** @default the voice of the model file */
  readonly voice?: string | undefined
  readonly language?: string | undefined
  readonly instructions?: string | undefined
  /** Further settings by names that the backend knows. */
  readonly params: Readonly<Record<string, string>>
  /** Whether the sound is given while it is made. */
  readonly stream: boolean
}

/** Speech: a file, or live samples. */
export interface SpeakResult extends OperationFigures {
  /** Absent when it is live. */
  readonly sound?: MadeSound | undefined
  /** Samples a second of live speech. */
  readonly sampleRate: number
  /** Samples of one channel: 16-bit integers, little endian. */
  readonly live?: AsyncIterable<Uint8Array> | undefined
}

/** A sound or music to make. */
export interface MakeSoundRequest {
  readonly kind: 'make-sound'
  readonly text: string
  readonly seconds?: number | undefined
  readonly temperature?: number | undefined
  readonly samples?: boolean | undefined
  readonly thinks?: boolean | undefined
  readonly caption?: string | undefined
  readonly lyrics?: string | undefined
  readonly bpm?: number | undefined
  readonly keyscale?: string | undefined
  readonly language?: string | undefined
  readonly timesignature?: string | undefined
  readonly isInstrumental?: boolean | undefined
}

export type MakeSoundResult = MadeSoundResult

/** Samples in which speech is searched: one channel, {@link SPEECH_RATE} a second. */
export interface DetectSpeechRequest {
  readonly kind: 'detect-speech'
  readonly samples: readonly number[]
}

/** The parts with speech, in seconds. */
export interface DetectSpeechResult extends OperationFigures {
  readonly segments: readonly { readonly start: number; readonly end: number }[]
}

/** A recording whose speakers are told apart. 0 leaves a figure to the backend. */
export interface DiarizeRequest {
  readonly kind: 'diarize'
  /** The file, where the backend reads it. */
  readonly path: string
  readonly speakers: number
  readonly minSpeakers: number
  readonly maxSpeakers: number
  readonly clusteringThreshold: number
  /** Least seconds of speech and of silence. */
  readonly minSecondsOn: number
  readonly minSecondsOff: number
  readonly language?: string | undefined
  readonly includesText: boolean
}

/** A part of a recording in which one person speaks, in seconds. */
export interface SpeakerTurn {
  readonly start: number
  readonly end: number
  /** The name that the backend gave; may be empty. */
  readonly label: string
  readonly text: string
}

export interface DiarizeResult extends OperationFigures {
  readonly turns: readonly SpeakerTurn[]
  /** 0 when the backend does not say. */
  readonly speakers: number
  /** Seconds; 0 when they are not known. */
  readonly duration: number
  readonly language: string
}

/** A recording whose sounds are named. */
export interface ClassifySoundRequest {
  readonly kind: 'classify-sound'
  /** The file, where the backend reads it. */
  readonly path: string
  /** Most classes; 0 = all. */
  readonly topK: number
  /** Least score. */
  readonly threshold: number
}

/** The classes, the best first. */
export interface ClassifySoundResult extends OperationFigures {
  readonly classes: readonly { readonly index: number; readonly label: string; readonly score: number }[]
}

/** A question for the voices of a model. */
export interface ListVoicesRequest {
  readonly kind: 'list-voices'
}

/** A voice of a model. */
export interface ListedVoice {
  readonly name: string
  /** ISO 639-1 code; empty where it is not known. */
  readonly language: string
}

/** The voices, the default one first. */
export interface ListVoicesResult extends OperationFigures {
  readonly voices: readonly ListedVoice[]
}

/** Operations on sound. */
export interface AudioOperations {
  readonly transcribe: { readonly request: TranscribeRequest; readonly result: TranscribeResult }
  readonly speak: { readonly request: SpeakRequest; readonly result: SpeakResult }
  readonly 'list-voices': { readonly request: ListVoicesRequest; readonly result: ListVoicesResult }
  readonly 'make-sound': { readonly request: MakeSoundRequest; readonly result: MakeSoundResult }
  readonly 'detect-speech': { readonly request: DetectSpeechRequest; readonly result: DetectSpeechResult }
  readonly diarize: { readonly request: DiarizeRequest; readonly result: DiarizeResult }
  readonly 'classify-sound': { readonly request: ClassifySoundRequest; readonly result: ClassifySoundResult }
}
