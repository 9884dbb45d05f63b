import * as z from 'zod'

/** The forms of a transcript. */
export const TRANSCRIPT_FORMATS = ['json', 'text', 'txt', 'srt', 'vtt', 'verbose_json', 'diarized_json', 'lrc'] as const

/** The form of a transcript. */
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** `word` and `segment`. */
const granularities = z.array(z.string()).nullish()

const COMMON = {
  model: z.string().nullish(),
  /** A code of ISO 639-1 or 639-3, an English name, or `auto`. @default the model detects it */
  language: z.string().nullish(),
  /** Text before the sound, for spelling and style. */
  prompt: z.string().nullish(),
  /** @default json */
  response_format: z.enum(TRANSCRIPT_FORMATS).nullish(),
  temperature: z.coerce.number().min(0).max(1).nullish(),
}

/** Form of `POST /v1/audio/transcriptions`. Its field `file` is the sound. */
export const transcriptionForm = z.looseObject({
  ...COMMON,
  'timestamp_granularities[]': granularities,
  timestamp_granularities: z.string().nullish(),
  stream: z.stringbool().nullish(),
  /** Whether the transcript is in English. */
  translate: z.stringbool().nullish(),
  /** Whether speakers are told apart, by models that can. @default true */
  diarize: z.stringbool().nullish(),
})

/** Form of `POST /v1/audio/translations`. Its field `file` is the sound. */
export const translationForm = z.looseObject(COMMON)

const durationUsage = z.looseObject({ type: z.literal('duration'), seconds: z.number().min(0) })

/** A transcript as `json`. */
export const transcription = z.looseObject({
  text: z.string(),
  /** As the model names it. Absent when the model does not say. */
  language: z.string().exactOptional(),
  /** Seconds. */
  duration: z.number().min(0).exactOptional(),
  usage: durationUsage.exactOptional(),
})

/** A word of a transcript, with its place in seconds. Clients read the text under either name. */
export const transcriptionWord = z.looseObject({
  word: z.string(),
  text: z.string(),
  start: z.number().min(0),
  end: z.number().min(0),
})

/** A part of a transcript, with its place in seconds. A figure that the model does not give is 0. */
export const transcriptionSegment = z.looseObject({
  id: z.int(),
  seek: z.int(),
  start: z.number().min(0),
  end: z.number().min(0),
  text: z.string(),
  tokens: z.array(z.int()),
  temperature: z.number(),
  avg_logprob: z.number(),
  compression_ratio: z.number(),
  no_speech_prob: z.number(),
  speaker: z.string().exactOptional(),
  words: z.array(transcriptionWord).exactOptional(),
})

/** A transcript as `verbose_json`. */
export const verboseTranscription = z.looseObject({
  task: z.enum(['transcribe', 'translate']),
  text: z.string(),
  language: z.string(),
  duration: z.number().min(0),
  segments: z.array(transcriptionSegment),
  words: z.array(transcriptionWord).exactOptional(),
  usage: durationUsage.exactOptional(),
})

/** A transcript as `diarized_json`. */
export const diarizedTranscription = z.looseObject({
  task: z.enum(['transcribe', 'translate']),
  text: z.string(),
  duration: z.number().min(0),
  segments: z.array(
    z.looseObject({
      type: z.literal('transcript.text.segment'),
      id: z.string(),
      speaker: z.string(),
      start: z.number().min(0),
      end: z.number().min(0),
      text: z.string(),
    }),
  ),
  usage: durationUsage.exactOptional(),
})

/** Reply of the transcription routes as JSON. */
export const transcriptionReply = z.union([verboseTranscription, diarizedTranscription, transcription])

/** An event of a streamed transcript. */
export const transcriptionEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.looseObject({
    type: z.literal('transcript.text.done'),
    text: z.string(),
    language: z.string().exactOptional(),
    duration: z.number().min(0).exactOptional(),
    segments: z.array(transcriptionSegment).exactOptional(),
    usage: durationUsage.exactOptional(),
  }),
  z.looseObject({ type: z.literal('error'), error: z.looseObject({ message: z.string(), type: z.string() }) }),
])

/** Form of `POST /v1/audio/transcriptions`. */
export type TranscriptionForm = z.infer<typeof transcriptionForm>
/** Form of `POST /v1/audio/translations`. */
export type TranslationForm = z.infer<typeof translationForm>
/** A transcript as `json`. */
export type Transcription = z.infer<typeof transcription>
/** A word of a transcript. */
export type TranscriptionWord = z.infer<typeof transcriptionWord>
/** A part of a transcript. */
export type TranscriptionSegment = z.infer<typeof transcriptionSegment>
/** A transcript as `verbose_json`. */
export type VerboseTranscription = z.infer<typeof verboseTranscription>
/** A transcript as `diarized_json`. */
export type DiarizedTranscription = z.infer<typeof diarizedTranscription>
/** An event of a streamed transcript. */
export type TranscriptionEvent = z.infer<typeof transcriptionEvent>
