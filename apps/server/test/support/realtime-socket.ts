import { eventually } from '@svc/test-kit'
import { type ClientOptions, WebSocket } from 'ws'

/** Samples a second of the sound in events. */
const WIRE_RATE = 24_000
/** Bytes of a millisecond of this sound. */
const BYTES_A_MS = (WIRE_RATE * 2) / 1000
/** Length of a piece of sent sound, milliseconds. */
const PIECE_MS = 100

/** An event of the server. */
export type RealtimeEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/** A client of a realtime session. */
export interface RealtimeSocket extends AsyncDisposable {
  readonly ws: WebSocket
  /** All received events. */
  readonly heard: readonly RealtimeEvent[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Sends an event, or a text as it is. */
  send(event: string | { readonly type: string; readonly [field: string]: unknown }): void
  /** Sends sound in events of 100 ms. */
  say(pcm: Uint8Array): void
  /** Resolves with the next event of a type that nobody has waited for yet. */
  next(type: string): Promise<RealtimeEvent>
  /** The events up to the next one of a type, which is the last of them. */
  until(type: string): Promise<readonly RealtimeEvent[]>
  /** Sends an event of the conversation that answers by itself, and gives all events before its answer. */
  settled(): Promise<readonly RealtimeEvent[]>
}

/** Options of a session. */
export interface RealtimeSocketOptions extends ClientOptions {
  readonly model?: string | undefined
  /** @default 'realtime' */
  readonly type?: 'realtime' | 'transcription' | undefined
  readonly protocols?: readonly string[] | undefined
  /** Session fields that are set before the test begins. */
  readonly session?: Readonly<Record<string, unknown>> | undefined
}

/** Opens a session, and waits until it is created and has the given fields. */
export async function openRealtime(url: string, options: RealtimeSocketOptions = {}): Promise<RealtimeSocket> {
  const { model = 'talk', type = 'realtime', protocols = [], session, ...rest } = options
  const intent = type === 'transcription' ? '&intent=transcription' : ''
  const ws = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=${model}${intent}`, [...protocols], rest)
  const heard: RealtimeEvent[] = []
  let taken = 0
  let asked = 0
  const closed = new Promise<{ readonly code: number; readonly reason: string }>((resolve) => {
    ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  ws.on('message', (data) => heard.push(JSON.parse(String(data)) as RealtimeEvent))
  await new Promise<void>((resolve, reject) => {
    ws.once('error', reject)
    ws.once('open', () => resolve())
  })
  ws.on('error', () => undefined)
  const send: RealtimeSocket['send'] = (event) => ws.send(typeof event === 'string' ? event : JSON.stringify(event))

  async function takeUntil(isLast: (event: RealtimeEvent) => boolean, name: string): Promise<readonly RealtimeEvent[]> {
    return await eventually(() => {
      const at = heard.findIndex((event, index) => index >= taken && isLast(event))
      if (at === -1) throw new Error(`no ${name} after ${heard.map(({ type }) => type).join(', ')}`)
      const events = heard.slice(taken, at + 1)
      taken = at + 1
      return events
    })
  }
  const until = (type: string) => takeUntil((event) => event.type === type, type)

  const socket: RealtimeSocket = {
    ws,
    heard,
    closed,
    send,
    until,
    say(pcm) {
      const size = PIECE_MS * BYTES_A_MS
      for (let at = 0; at < pcm.length; at += size) {
        send({ type: 'input_audio_buffer.append', audio: Buffer.from(pcm.subarray(at, at + size)).toString('base64') })
      }
    },
    async next(type) {
      return (await until(type)).at(-1) as RealtimeEvent
    },
    async settled() {
      asked += 1
      const event_id = `settled_${asked}`
      send({ type: 'conversation.item.retrieve', item_id: 'nothing', event_id })
      const isAnswer = ({ type, error }: RealtimeEvent) =>
        type === 'error' && Reflect.get(Object(error), 'event_id') === event_id
      return (await takeUntil(isAnswer, 'answer')).slice(0, -1)
    },
    async [Symbol.asyncDispose]() {
      ws.terminate()
      await closed
    },
  }
  await until('session.created')
  if (session !== undefined) {
    send({ type: 'session.update', session: { type, ...session } })
    await until('session.updated')
  }
  return socket
}

/** Sound of one frequency, as the events carry it. */
export function makeTone(ms: number, { level = 0.4, frequency = 440 } = {}): Buffer {
  const pcm = Buffer.alloc(ms * BYTES_A_MS)
  for (let index = 0; index < pcm.length / 2; index += 1) {
    pcm.writeInt16LE(Math.round(level * 32_767 * Math.sin((2 * Math.PI * frequency * index) / WIRE_RATE)), index * 2)
  }
  return pcm
}

/** Silence, as the events carry it. */
export function makeSilence(ms: number): Buffer {
  return Buffer.alloc(ms * BYTES_A_MS)
}

/** Length of the sound of an event, milliseconds. */
export function measureSound(base64: string): number {
  return Buffer.from(base64, 'base64').length / BYTES_A_MS
}
