import { connect } from 'node:net'
import { requestBytes } from './load.ts'

/** Result of a burst of streams. */
export interface StreamFigures {
  readonly events: number
  readonly eventsPerSecond: number
  /** Time from an event's departure at the upstream to its arrival here. */
  readonly p50Us: number
  readonly p99Us: number
}

const SENT_AT = '"at":'
const END_OF_CHUNKS = '\r\n0\r\n\r\n'

/**
 * Keeps `connections` streams running for `seconds`. Each event carries its send time, by the machine's own clock. Like
 * {@link runLoad} it parses just enough HTTP: a client more costly than the relay would limit the rate.
 */
export async function runStreams(options: {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}): Promise<StreamFigures> {
  const { hostname, port } = new URL(options.url)
  const request = requestBytes(options)
  const delays: number[] = []
  const begun = performance.now()
  const end = begun + options.seconds * 1000

  const connection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      /** The end of a stream's bytes so far, which may be cut anywhere. */
      let tail = ''
      socket.once('connect', () => socket.write(request))
      socket.on('error', reject).on('close', () => reject(new Error('the connection ended')))
      socket.on('data', (piece: Buffer) => {
        const now = nowUs()
        const text = piece.toString('latin1')
        if (tail === '' && !text.startsWith('HTTP/1.1 200 ')) reject(new Error(`not answered: ${text.slice(0, 40)}`))
        noteDelays(text, now, delays)
        tail = (tail + text).slice(-END_OF_CHUNKS.length)
        if (tail !== END_OF_CHUNKS) return
        tail = ''
        if (performance.now() < end) socket.write(request)
        else {
          resolve()
          socket.destroy()
        }
      })
    })

  await Promise.all(Array.from({ length: options.connections }, connection))
  const seconds = (performance.now() - begun) / 1000
  delays.sort((a, b) => a - b)
  const at = (share: number): number => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0
  return { events: delays.length, eventsPerSecond: delays.length / seconds, p50Us: at(0.5), p99Us: at(0.99) }
}

/** Microseconds of the machine's own clock. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

function noteDelays(text: string, now: number, delays: number[]): void {
  for (let at = text.indexOf(SENT_AT); at >= 0; at = text.indexOf(SENT_AT, at + 1)) {
    delays.push(now - Number.parseInt(text.slice(at + SENT_AT.length, at + SENT_AT.length + 20), 10))
  }
}
