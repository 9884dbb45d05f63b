import type {
  DiarizedTranscription,
  Transcription,
  TranscriptionEvent,
  TranscriptionSegment,
  TranscriptionWord,
  VerboseTranscription,
} from '@svc/wire/openai'
import type { Transcript, TranscriptWord } from '../../../../inference/operations/audio/transcript.ts'

/** Facts of the request that a transcript shows. */
export interface TranscriptFacts {
  readonly task: 'transcribe' | 'translate'
  readonly temperature: number
  /** Whether the words stand beside the segments. */
  readonly hasWords: boolean
}

/** The speaker of a part that the model gives none. */
const NOBODY = 'unknown'

/** Writes a transcript as `json`. */
export function toJson({ text, language, duration }: Transcript): Transcription {
  return {
    text,
    ...(language === '' ? {} : { language }),
    ...(duration > 0 ? { duration } : {}),
    ...toUsage(duration),
  }
}

/** Writes a transcript as `verbose_json`. */
export function toVerboseJson(transcript: Transcript, facts: TranscriptFacts): VerboseTranscription {
  const { text, language, duration, segments } = transcript
  return {
    task: facts.task,
    text,
    language,
    duration,
    segments: toSegments(transcript, facts),
    ...(facts.hasWords ? { words: segments.flatMap(({ words }) => words.map(toWord)) } : {}),
    ...toUsage(duration),
  }
}

/** Writes a transcript as `diarized_json`. */
export function toDiarizedJson({ text, duration, segments }: Transcript, task: TranscriptFacts['task']) {
  const parts = segments.map(({ start, end, text: said, speaker }, index) => ({
    type: 'transcript.text.segment' as const,
    id: `seg_${index}`,
    speaker: speaker || NOBODY,
    start,
    end,
    text: said,
  }))
  return { task, text, duration, segments: parts, ...toUsage(duration) } satisfies DiarizedTranscription
}

/** Writes the last event of a streamed transcript. */
export function toDoneEvent(transcript: Transcript, facts: TranscriptFacts & { readonly isVerbose: boolean }) {
  return {
    type: 'transcript.text.done',
    ...toJson(transcript),
    ...(facts.isVerbose ? { segments: toSegments(transcript, facts) } : {}),
  } satisfies TranscriptionEvent
}

function toSegments({ segments }: Transcript, { temperature }: TranscriptFacts): TranscriptionSegment[] {
  return segments.map(({ id, start, end, text, tokens, speaker, words }) => ({
    id,
    seek: 0,
    start,
    end,
    text,
    tokens: [...tokens],
    temperature,
    // Backends do not report these, and clients need numbers.
    avg_logprob: 0,
    compression_ratio: 0,
    no_speech_prob: 0,
    ...(speaker === '' ? {} : { speaker }),
    ...(words.length === 0 ? {} : { words: words.map(toWord) }),
  }))
}

function toWord({ start, end, text }: TranscriptWord): TranscriptionWord {
  return { word: text, text, start, end }
}

function toUsage(seconds: number): Pick<Transcription, 'usage'> {
  return seconds > 0 ? { usage: { type: 'duration', seconds } } : {}
}
