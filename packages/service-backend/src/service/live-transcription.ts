import { SvcError } from '@svc/errors'
import type { Header } from '@svc/http-client'
import { isFields, toFields, toText, tryParseJson } from '@svc/proxy/replies'
import { streamFailed, toSendFailure, unsupported } from './status.ts'
import type { ServiceTarget } from './target.ts'
import type { ServiceCall } from './transport.ts'
import { toRouteUrl } from './url.ts'

/** Time limits in milliseconds: opening a socket, and output after the last sound. */
const HANDSHAKE_MS = 30_000
const WRITE_MS = 10_000
const DRAIN_MS = 5_000
/** Time after the last sound in which an instance finds further speech, milliseconds. */
const QUIET_MS = 1_000
const DEFAULT_SAMPLE_RATE = 16_000
const MAX_SAMPLE_RATE = 192_000
/** Most samples in one message. */
const MAX_SAMPLES = 256 * 1024

/** A socket that carries texts. */
export interface LiveSocket {
  /** Resolves once the text has been handed to the system. */
  send(text: string): Promise<void>
  /** Incoming messages, in order; ends with the socket. */
  readonly messages: AsyncIterable<string>
  /** Closes the socket at once; may be called more than once. */
  close(): void
}

/** Opens sockets. */
export type OpenLiveSocket = (
  url: URL,
  options: { readonly headers: readonly Header[]; readonly signal: AbortSignal },
) => Promise<LiveSocket>

/** The clock of live transcription. */
export interface LiveClock {
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Input of live transcription: the settings, once and first; then mono samples of -1..1. */
export type LiveInput =
  | { readonly type: 'config'; readonly language: string; readonly sampleRate: number }
  | { readonly type: 'audio'; readonly pcm: readonly number[] }

/** Output of live transcription: readiness, once and first; pieces of text; ends of utterances; last the whole text. */
export type LiveOutput =
  | { readonly type: 'ready' }
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'utterance-end' }
  | { readonly type: 'final'; readonly text: string }

/** Options of live transcription. */
export interface LiveOptions {
  readonly target: ServiceTarget
  readonly open: OpenLiveSocket
  readonly clock: LiveClock
}

/**
 * Transcribes speech live, over the realtime route of another instance, whose own voice detection finds the ends of
 * utterances.
 *
 * @throws {SvcError} `not_implemented` without a realtime pipeline, `invalid_request` unless the settings come first
 *   and once, `unavailable` when the instance fails, `timeout` when it takes too long
 */
export async function* transcribeLive(
  { target, open, clock }: LiveOptions,
  inputs: AsyncIterable<LiveInput>,
  { signal }: Pick<ServiceCall, 'signal'>,
): AsyncGenerator<LiveOutput, void, undefined> {
  const url = pipelineUrl(target)
  const iterator = inputs[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return
  const sampleRate = readSampleRate(first.value)
  const controller = new AbortController()
  const ends = AbortSignal.any([signal, controller.signal])
  const wait: Wait = (work, ms) => limit(work, { ms, clock, signal: ends })
  const state: Feeding = { isDone: false, failure: undefined }
  const reader = createEventReader(target)
  let socket: LiveSocket | undefined
  try {
    const opened = await wait(open(url, { headers: target.headers, signal: ends }), HANDSHAKE_MS)
    socket = opened
    const send: Send = (event) => wait(opened.send(JSON.stringify(event)), WRITE_MS)
    await send(toSession(first.value, sampleRate))
    yield { type: 'ready' }
    // The end of the input closes the socket: at once after a failure, else after time for the remaining output.
    feed(iterator, { send, sampleRate })
      .then(() => {
        state.isDone = true
        return drain(reader, { clock, signal: ends })
      })
      .catch((error: unknown) => {
        state.failure = error
      })
      .finally(() => opened.close())
    yield* listen(opened, { state, reader, signal })
  } finally {
    // Also closes a socket that is still opening.
    controller.abort()
    socket?.close()
    // Not awaited: a silent client must not keep the call open.
    iterator.return?.()?.catch(() => {})
  }
}

interface Feeding {
  isDone: boolean
  failure: unknown
}

type Send = (event: unknown) => Promise<void>
type Wait = <Value>(work: Promise<Value>, ms: number) => Promise<Value>

function pipelineUrl({ realtimePipeline, root }: ServiceTarget): URL {
  if (realtimePipeline === undefined) throw unsupported('live transcription without proxy.realtime_pipeline')
  const url = toRouteUrl(root, '/v1/realtime')
  url.protocol = root.protocol === 'https:' ? 'wss:' : 'ws:'
  url.searchParams.set('model', realtimePipeline)
  url.searchParams.set('intent', 'transcription')
  return url
}

function readSampleRate(input: LiveInput): number {
  if (input.type !== 'config') throw invalid('the settings must come before the sound')
  if (input.sampleRate > MAX_SAMPLE_RATE) throw invalid(`a sample rate above ${MAX_SAMPLE_RATE} is not possible`)
  return input.sampleRate > 0 ? input.sampleRate : DEFAULT_SAMPLE_RATE
}

function toSession(config: LiveInput, rate: number): unknown {
  const hasLanguage = config.type === 'config' && config.language !== ''
  const transcription = hasLanguage ? { language: config.language } : {}
  return {
    type: 'session.update',
    session: {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate },
          transcription,
          turn_detection: { type: 'server_vad' },
        },
      },
    },
  }
}

/**
 * Sends the sound and then a second of silence, without which the instance does not detect the end of the last
 * utterance.
 */
async function feed(
  inputs: AsyncIterator<LiveInput>,
  { send, sampleRate }: { readonly send: Send; readonly sampleRate: number },
): Promise<void> {
  for (let next = await inputs.next(); next.done !== true; next = await inputs.next()) {
    if (next.value.type === 'config') throw invalid('the settings cannot change while listening')
    const { pcm } = next.value
    for (let start = 0; start < pcm.length; start += MAX_SAMPLES)
      await send(toAppend(pcm.slice(start, start + MAX_SAMPLES)))
  }
  await send(toAppend(Array.from({ length: sampleRate }, () => 0)))
}

function toAppend(pcm: readonly number[]): unknown {
  const bytes = Buffer.alloc(pcm.length * 2)
  for (const [index, sample] of pcm.entries()) {
    bytes.writeInt16LE(Math.round(Math.min(1, Math.max(-1, sample)) * 32_767), index * 2)
  }
  return { type: 'input_audio_buffer.append', audio: bytes.toString('base64') }
}

async function* listen(
  socket: LiveSocket,
  { state, reader, signal }: { readonly state: Feeding; readonly reader: EventReader; readonly signal: AbortSignal },
): AsyncGenerator<LiveOutput, void, undefined> {
  for await (const message of socket.messages) {
    const { utterances } = reader
    yield* reader.readEvent(message)
    // The last utterance is complete.
    if (state.isDone && reader.utterances > utterances && !reader.isHearing) break
  }
  signal.throwIfAborted()
  if (state.failure !== undefined) throw toSendFailure(state.failure)
  if (!state.isDone) throw streamFailed('the upstream ended the socket')
  yield { type: 'final', text: reader.text }
}

/** Waits for the output that is left: a short time while nobody is heard to speak, else longer. */
async function drain(
  reader: EventReader,
  { clock, signal }: { readonly clock: LiveClock; readonly signal: AbortSignal },
): Promise<void> {
  await clock.sleep(QUIET_MS, { signal })
  if (reader.isHearing) await clock.sleep(DRAIN_MS - QUIET_MS, { signal })
}

type EventReader = ReturnType<typeof createEventReader>

const TRANSCRIPTION = 'conversation.item.input_audio_transcription.'

/** Reads the events of an instance. */
function createEventReader({ secrets }: ServiceTarget) {
  const texts: string[] = []
  const pieces = new Map<unknown, string>()
  /** Utterances that have begun and are not written down. */
  const heard = new Set<unknown>()
  let tellsOfSpeech = false
  return {
    get text() {
      return texts.join(' ')
    },
    /** Number of complete utterances. */
    get utterances() {
      return texts.length
    },
    /** Whether text may still come: somebody speaks, or the instance does not tell of speech. */
    get isHearing() {
      return heard.size > 0 || !tellsOfSpeech
    },
    *readEvent(message: string): Generator<LiveOutput> {
      const event = tryParseJson(message)
      if (!isFields(event)) return
      if (event.type === 'error' || event.type === `${TRANSCRIPTION}failed`) {
        throw streamFailed(toText(toFields(event.error).message) ?? 'the upstream failed', secrets)
      }
      if (event.type === 'input_audio_buffer.speech_started') {
        tellsOfSpeech = true
        heard.add(event.item_id)
      }
      if (event.type === `${TRANSCRIPTION}delta`) {
        const piece = toText(event.delta) ?? ''
        pieces.set(event.item_id, (pieces.get(event.item_id) ?? '') + piece)
        if (piece !== '') yield { type: 'delta', text: piece }
      }
      if (event.type !== `${TRANSCRIPTION}completed`) return
      const said = toText(event.transcript) ?? pieces.get(event.item_id) ?? ''
      // Some instances send an utterance in one event.
      if (!pieces.has(event.item_id) && said !== '') yield { type: 'delta', text: said }
      pieces.delete(event.item_id)
      heard.delete(event.item_id)
      texts.push(said.trim())
      yield { type: 'utterance-end' }
    },
  }
}

/** Rejects when the work takes too long. */
async function limit<Value>(
  work: Promise<Value>,
  { ms, clock, signal }: { readonly ms: number; readonly clock: LiveClock; readonly signal: AbortSignal },
): Promise<Value> {
  const over = new AbortController()
  const late = clock.sleep(ms, { signal: AbortSignal.any([signal, over.signal]) }).then(() => {
    throw new SvcError('timeout', 'the upstream took too long', { code: 'upstream_timeout' })
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    signal.throwIfAborted()
    throw toSendFailure(error)
  } finally {
    over.abort()
    late.catch(() => {})
    work.catch(() => {})
  }
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'invalid_live_input' })
}
