import {
  type Fields,
  isFields,
  readSseEvents,
  toCount,
  toFields,
  toList,
  toNumber,
  toText,
  tryParseJson,
} from '@svc/proxy/replies'
import type { FormField, FormFile } from './multipart.ts'
import { streamFailed, undecodable } from './status.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

const PATH = '/v1/audio/transcriptions'
const NANOSECONDS = 1e9
/** Times beyond it fit no field of the contract. */
const MAX_SECONDS = 1e9

/** Speech to transcribe. Empty values are left out. */
export interface TranscribeInput {
  readonly file: FormFile
  readonly language: string
  readonly prompt: string
  readonly temperature: number
  readonly translate: boolean
  /** Always sent. */
  readonly diarize: boolean
  readonly granularities: readonly string[]
}

/** A word with its time, in nanoseconds. */
export interface SpokenWord {
  readonly start: bigint
  readonly end: bigint
  readonly text: string
}

/** A stretch of speech, in nanoseconds. */
export interface SpokenSegment extends SpokenWord {
  readonly id: number
  readonly tokens: readonly number[]
  readonly speaker: string
  readonly words: readonly SpokenWord[]
}

/** A transcript. It has no ends of utterances: no REST route reports them (§6.5). */
export interface Transcript {
  readonly text: string
  readonly language: string
  /** Seconds. */
  readonly duration: number
  readonly segments: readonly SpokenSegment[]
}

/** A piece of a transcript, or the whole one, last. */
export type TranscriptPiece = { readonly delta: string } | { readonly transcript: Transcript }

/** Transcribes speech. */
export async function transcribe(
  transport: ServiceTransport,
  input: TranscribeInput,
  call: ServiceCall,
): Promise<Transcript> {
  return readTranscript(await transport.ask(PATH, { form: toForm(transport, input) }, call))
}

/** Transcribes speech, streamed. @throws {SvcError} `unavailable` when the stream ends without the whole transcript */
export async function* transcribeStream(
  transport: ServiceTransport,
  input: TranscribeInput,
  call: ServiceCall,
): AsyncGenerator<TranscriptPiece, void, undefined> {
  const form: FormField[] = [...toForm(transport, input), ['stream', true]]
  const { body } = await transport.fetch(PATH, { form }, { ...call, streams: true })
  yield* readTranscriptEvents(transport, { body, path: PATH })
}

/** Reads the events of a streamed transcript. @throws {SvcError} `unavailable` where they end without the whole */
export async function* readTranscriptEvents(
  transport: ServiceTransport,
  { body, path }: { readonly body: AsyncIterable<Uint8Array>; readonly path: string },
): AsyncGenerator<TranscriptPiece, void, undefined> {
  for await (const { data } of readSseEvents(body, () => undecodable(path))) {
    const event = tryParseJson(data)
    if (!isFields(event)) continue
    if (event.error != null) throw streamFailed(toText(toFields(event.error).message) ?? '', transport.target.secrets)
    if (event.type === 'transcript.text.delta') yield { delta: toText(event.delta) ?? '' }
    if (event.type !== 'transcript.text.done') continue
    yield { transcript: readTranscript(event) }
    return
  }
  throw streamFailed("the upstream's stream ended before its end event")
}

function toForm({ target }: ServiceTransport, input: TranscribeInput): FormField[] {
  const { file, language, prompt, temperature, translate, diarize, granularities } = input
  return [
    ['model', target.model],
    ['file', file],
    ['response_format', 'verbose_json'],
    ['diarize', diarize],
    ...(language === '' ? [] : [['language', language] as const]),
    ...(prompt === '' ? [] : [['prompt', prompt] as const]),
    ...(temperature === 0 ? [] : [['temperature', temperature] as const]),
    ...(translate ? [['translate', true] as const] : []),
    ...granularities.map((word) => ['timestamp_granularities[]', word] as const),
  ]
}

/** Reads a transcript in the detailed form. */
export function readTranscript(reply: Fields): Transcript {
  return {
    text: toText(reply.text) ?? '',
    language: toText(reply.language) ?? '',
    duration: toNumber(reply.duration) ?? 0,
    segments: readSegments(reply),
  }
}

function readSegments(reply: Fields): SpokenSegment[] {
  const words = toList(reply.words).map(readWord)
  const segments = toList(reply.segments).map((value, index) => {
    const { id, tokens, speaker, words: own, ...rest } = toFields(value)
    return {
      id: toCount(id) ?? index,
      ...readWord(rest),
      tokens: toList(tokens).flatMap((token) => toCount(token) ?? []),
      speaker: toText(speaker) ?? '',
      words: toList(own).map(readWord),
    }
  })
  if (words.length === 0 || segments.some((segment) => segment.words.length > 0)) return segments
  // Words beside the segments belong to the segment in which they start.
  const inside = segments.map((): SpokenWord[] => [])
  for (const word of words) inside[findSegment(segments, word)]?.push(word)
  return segments.map((segment, index) => ({ ...segment, words: inside[index] ?? [] }))
}

/** Finds the last segment that starts before a word, or the first one. Segments are in the order of their starts. */
function findSegment(segments: readonly SpokenSegment[], { start }: SpokenWord): number {
  let [low, high] = [0, segments.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((segments[middle]?.start ?? 0n) <= start) low = middle
    else high = middle
  }
  return low
}

function readWord(value: unknown): SpokenWord {
  const { start, end, text, word } = toFields(value)
  return { start: toNanoseconds(start), end: toNanoseconds(end), text: toText(text) ?? toText(word) ?? '' }
}

function toNanoseconds(seconds: unknown): bigint {
  const given = Math.min(Math.max(toNumber(seconds) ?? 0, -MAX_SECONDS), MAX_SECONDS)
  return BigInt(Math.round(given * NANOSECONDS))
}
