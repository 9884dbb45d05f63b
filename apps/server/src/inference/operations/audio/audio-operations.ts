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

/** Sound that is written down while it comes: one channel, -1..1, `sampleRate` a second. */
export interface TranscribeLiveRequest {
  readonly kind: 'transcribe-live'
  readonly sampleRate: number
  /** A code of ISO 639. @default the model detects it */
  readonly language?: string | undefined
  /** The sound; the text is complete once it has ended. */
  readonly sound: AsyncIterable<Float32Array>
}

/** A part of a live transcript. The whole text comes last, once the sound has ended. */
export type LiveTranscriptPart =
  | { readonly type: 'delta'; readonly text: string }
  /** The model hears the end of what a person had to say. */
  | { readonly type: 'utterance-end' }
  | { readonly type: 'done'; readonly text: string; readonly seconds: number }

/** A transcript that grows with its sound. */
export interface TranscribeLiveResult extends OperationFigures {
  readonly live: AsyncIterable<LiveTranscriptPart>
}

/** A turn of a spoken conversation for a model that hears and speaks. */
export interface ConverseRequest {
  readonly kind: 'converse'
  /** Sound of one channel, -1..1, `sampleRate` a second. */
  readonly samples: Float32Array
  readonly sampleRate: number
  readonly instructions: string
  readonly voice?: string | undefined
  /** Functions, as the compatible chat format lists them. */
  readonly tools: readonly unknown[]
  /** Earlier messages, as the compatible chat format writes them. */
  readonly history: readonly Readonly<Record<string, unknown>>[]
}

/** A part of the model's turn. */
export type ConversationPart =
  | { readonly type: 'audio'; readonly samples: Float32Array; readonly sampleRate: number }
  | { readonly type: 'transcript'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly arguments: string }

export interface ConverseResult extends OperationFigures {
  readonly live: AsyncIterable<ConversationPart>
}

/** Two recordings whose speakers are compared. */
export interface VerifyVoiceRequest {
  readonly kind: 'verify-voice'
  /** The files, where the backend reads them. */
  readonly path: string
  readonly referencePath: string
  /** Largest distance of one speaker; 0 leaves it to the backend. */
  readonly threshold: number
  /** Whether a recording that is played back is refused, by models that can tell. */
  readonly antiSpoofing: boolean
}

export interface VerifyVoiceResult extends OperationFigures {
  readonly isVerified: boolean
  /** Cosine distance, 0..2. */
  readonly distance: number
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
  readonly 'transcribe-live': { readonly request: TranscribeLiveRequest; readonly result: TranscribeLiveResult }
  readonly converse: { readonly request: ConverseRequest; readonly result: ConverseResult }
  readonly 'verify-voice': { readonly request: VerifyVoiceRequest; readonly result: VerifyVoiceResult }
  readonly speak: { readonly request: SpeakRequest; readonly result: SpeakResult }
  readonly 'list-voices': { readonly request: ListVoicesRequest; readonly result: ListVoicesResult }
  readonly 'make-sound': { readonly request: MakeSoundRequest; readonly result: MakeSoundResult }
  readonly 'detect-speech': { readonly request: DetectSpeechRequest; readonly result: DetectSpeechResult }
  readonly diarize: { readonly request: DiarizeRequest; readonly result: DiarizeResult }
  readonly 'classify-sound': { readonly request: ClassifySoundRequest; readonly result: ClassifySoundResult }
}
