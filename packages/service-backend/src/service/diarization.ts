import { toCount, toFields, toNumber, toText } from '@svc/proxy/replies'
import { toAudioForm } from './audio-form.ts'
import type { FormFile } from './multipart.ts'
import { undecodable } from './status.ts'
import { readTimeRange, type TimeRange } from './time-range.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'

/** Input of speaker diarization. Zeros are left out. */
export interface DiarizeInput {
  readonly file: FormFile
  readonly language: string
  readonly numSpeakers: number
  readonly minSpeakers: number
  readonly maxSpeakers: number
  readonly clusteringThreshold: number
  readonly minDurationOn: number
  readonly minDurationOff: number
  readonly includeText: boolean
}

/** Result of speaker diarization. */
export interface Diarization {
  readonly segments: readonly (TimeRange & { readonly id: number; readonly speaker: string; readonly text: string })[]
  readonly numSpeakers: number
  /** Seconds. */
  readonly duration: number
  readonly language: string
}

/** Finds the speaker of each range of time. */
export async function diarize(
  transport: ServiceTransport,
  input: DiarizeInput,
  call: ServiceCall,
): Promise<Diarization> {
  const path = '/v1/audio/diarization'
  const fields = dropZeros({
    language: input.language,
    num_speakers: input.numSpeakers,
    min_speakers: input.minSpeakers,
    max_speakers: input.maxSpeakers,
    clustering_threshold: input.clusteringThreshold,
    min_duration_on: input.minDurationOn,
    min_duration_off: input.minDurationOff,
    include_text: input.includeText,
    // Only this form includes the texts.
    response_format: input.includeText ? 'verbose_json' : 'json',
  })
  const reply = await transport.ask(path, { form: toAudioForm(transport, input.file, fields) }, call)
  if (!Array.isArray(reply.segments)) throw undecodable(path)
  return {
    segments: reply.segments.map((segment, index) => {
      const { id, speaker, text } = toFields(segment)
      return {
        ...readTimeRange(segment),
        id: toCount(id) ?? index,
        speaker: toText(speaker) ?? '',
        text: toText(text) ?? '',
      }
    }),
    numSpeakers: toCount(reply.num_speakers) ?? 0,
    duration: toNumber(reply.duration) ?? 0,
    language: toText(reply.language) ?? '',
  }
}
