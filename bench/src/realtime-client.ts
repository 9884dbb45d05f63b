import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Samples a second of the sound in events. */
const RATE = 24_000

/** An event of a session. */
interface SessionEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A client of a realtime session that knows when each event came. */
export interface SessionClient {
  send(event: SessionEvent): void
  /** Sends sound as one event. */
  say(audio: string): void
  /** Resolves with the time of the next event of a type. @throws {Error} for an error event or a close */
  next(type: string): Promise<number>
  close(): Promise<void>
}

/** Opens a session of the model `talk`, and sets fields of it. */
export async function openSession(url: string, session: object): Promise<SessionClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=talk`, { perMessageDeflate: false })
  const waiting = new Map<string, { resolve(at: number): void; reject(error: Error): void }>()
  function failAll(reason: string): void {
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }
  socket.on('message', (data) => {
    const at = performance.now()
    const event = JSON.parse(String(data)) as SessionEvent
    if (event.type === 'error') failAll(JSON.stringify(event))
    waiting.get(event.type)?.resolve(at)
    waiting.delete(event.type)
  })
  socket.on('error', (error) => failAll(error.message))
  socket.on('close', (code, reason) => failAll(`closed with ${code} ${String(reason)}`))
  const client: SessionClient = {
    send: (event) => socket.send(JSON.stringify(event)),
    say: (audio) => socket.send(`{"type":"input_audio_buffer.append","audio":"${audio}"}`),
    next: (type) => new Promise((resolve, reject) => waiting.set(type, { resolve, reject })),
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return
      waiting.clear()
      socket.terminate()
      await once(socket, 'close')
    },
  }
  await client.next('session.created')
  const updated = client.next('session.updated')
  client.send({ type: 'session.update', session: { type: 'realtime', ...session } })
  await updated
  return client
}

/** Round trips of messages of this size over a socket that echoes, milliseconds. */
export async function measureEcho(url: string, bytes: number, count: number): Promise<number[]> {
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false })
  await once(socket, 'open')
  const message = 'x'.repeat(bytes)
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const at = performance.now()
    socket.send(message)
    await once(socket, 'message')
    times.push(performance.now() - at)
  }
  socket.terminate()
  return times
}

/** Sound of one frequency or silence, as base64. */
export function makeSound(ms: number, level: number): string {
  const pcm = Buffer.alloc((ms * RATE * 2) / 1000)
  for (let index = 0; index < pcm.length / 2; index += 1) {
    pcm.writeInt16LE(Math.round(level * 32_767 * Math.sin((2 * Math.PI * 440 * index) / RATE)), index * 2)
  }
  return pcm.toString('base64')
}
