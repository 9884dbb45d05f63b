import type { Header } from '@svc/http-client'
import { countOf, fieldsOf, headerOf, listOf, numberOf, textOf, tryParseJson } from '@svc/proxy/replies'
import { generatedUrl } from './generated-content.ts'
import type { FormField, FormFile } from './multipart.ts'
import { undecodable } from './status.ts'
import { type ServiceCall, type ServiceTransport, withoutZeros } from './transport.ts'

/** A range of time, in seconds. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** Finds the ranges with speech in mono samples at 16 kHz. */
export async function findVoice(
  transport: ServiceTransport,
  audio: readonly number[],
  call: ServiceCall,
): Promise<readonly Stretch[]> {
  const path = '/v1/vad'
  const reply = await transport.ask(path, { json: { model: transport.target.model, audio } }, call)
  if (!Array.isArray(reply.segments)) throw undecodable(path)
  return reply.segments.map(readStretch)
}

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
  readonly segments: readonly (Stretch & { readonly id: number; readonly speaker: string; readonly text: string })[]
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
  const fields = withoutZeros({
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
  const reply = await transport.ask(path, { form: [...base(transport, input.file), ...toFields(fields)] }, call)
  if (!Array.isArray(reply.segments)) throw undecodable(path)
  return {
    segments: reply.segments.map((segment, index) => {
      const { id, speaker, text } = fieldsOf(segment)
      return {
        ...readStretch(segment),
        id: countOf(id) ?? index,
        speaker: textOf(speaker) ?? '',
        text: textOf(text) ?? '',
      }
    }),
    numSpeakers: countOf(reply.num_speakers) ?? 0,
    duration: numberOf(reply.duration) ?? 0,
    language: textOf(reply.language) ?? '',
  }
}

/** A classified sound. */
export interface HeardSound {
  readonly label: string
  /** 0..1 */
  readonly score: number
  readonly index: number
}

/** Classifies the sounds of a file, most likely first. */
export async function classifySound(
  transport: ServiceTransport,
  input: { readonly file: FormFile; readonly topK: number; readonly threshold: number },
  call: ServiceCall,
): Promise<readonly HeardSound[]> {
  const path = '/v1/audio/classification'
  const fields = withoutZeros({ top_k: input.topK, threshold: input.threshold })
  const reply = await transport.ask(path, { form: [...base(transport, input.file), ...toFields(fields)] }, call)
  if (!Array.isArray(reply.detections)) throw undecodable(path)
  return reply.detections.map(fieldsOf).map(({ label, score, index }) => ({
    label: textOf(label) ?? '',
    score: numberOf(score) ?? 0,
    index: countOf(index) ?? 0,
  }))
}

/** Audio to transform, and its reference. */
export interface TransformInput {
  readonly audio: FormFile
  readonly reference?: FormFile | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Transformed audio, and the parts into which it was split. */
export interface TransformedSound {
  readonly body: AsyncIterable<Uint8Array>
  readonly stems: readonly { readonly name: string; readonly url: URL }[]
}

/** The header that lists the parts: JSON, each with `name` and `url`. */
const STEMS_HEADER = 'x-audio-stems'

/** Transforms audio. Follows links to its parts only to generated audio of the instance. */
export async function transformSound(
  transport: ServiceTransport,
  input: TransformInput,
  call: ServiceCall,
): Promise<TransformedSound> {
  const form: FormField[] = [
    ['model', transport.target.model],
    ['audio', input.audio],
    ...(input.reference === undefined ? [] : [['reference', input.reference] as const]),
    ...Object.entries(input.params).map(([name, value]) => [`params[${name}]`, value] as const),
  ]
  const reply = await transport.fetch('/audio/transformations', { form }, { ...call, streams: false })
  return { body: reply.body, stems: readStems(reply.headers, transport.target.root) }
}

function readStems(headers: readonly Header[], root: URL): TransformedSound['stems'] {
  return listOf(tryParseJson(headerOf(headers, STEMS_HEADER) ?? '')).flatMap((stem) => {
    const { name, url: link } = fieldsOf(stem)
    const url = generatedUrl(root, textOf(link) ?? '', ['audio'])
    return url === undefined ? [] : [{ name: textOf(name) ?? '', url }]
  })
}

function base({ target }: ServiceTransport, file: FormFile): FormField[] {
  return [
    ['model', target.model],
    ['file', file],
  ]
}

function toFields(fields: Readonly<Record<string, unknown>>): FormField[] {
  return Object.entries(fields).map(([name, value]) => [name, String(value)])
}

function readStretch(value: unknown): Stretch {
  const { start, end } = fieldsOf(value)
  return { start: numberOf(start) ?? 0, end: numberOf(end) ?? 0 }
}
