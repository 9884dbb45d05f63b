import { Agent, request } from 'node:http'

/** What streams showed. */
export interface StreamFigures {
  readonly events: number
  readonly eventsPerSecond: number
  /** From the moment an event left the upstream to the moment it was read here. */
  readonly p50Us: number
  readonly p99Us: number
}

const SENT_AT = /"at":(\d+)/g

/** Keeps `connections` streams under way for `seconds`. Each event tells when it left, by the machine's own clock. */
export async function runStreams(options: {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}): Promise<StreamFigures> {
  const { hostname, port } = new URL(options.url)
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const delays: number[] = []
  const begun = performance.now()
  const end = begun + options.seconds * 1000

  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        {
          hostname,
          port,
          agent,
          path: options.path,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(options.body),
            ...options.headers,
          },
        },
        (incoming) => {
          if (incoming.statusCode !== 200) reject(new Error(`status ${incoming.statusCode}`))
          incoming.on('data', (piece: Buffer) => {
            const now = Number(process.hrtime.bigint() / 1000n)
            for (const [, at] of piece.toString('latin1').matchAll(SENT_AT)) delays.push(now - Number(at))
          })
          incoming.on('end', resolve)
          incoming.on('error', reject)
        },
      )
      outgoing.on('error', reject)
      outgoing.end(options.body)
    })

  async function connection(): Promise<void> {
    while (performance.now() < end) await one()
  }
  await Promise.all(Array.from({ length: options.connections }, connection))
  const seconds = (performance.now() - begun) / 1000
  agent.destroy()
  delays.sort((a, b) => a - b)
  const at = (share: number): number => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0
  return { events: delays.length, eventsPerSecond: delays.length / seconds, p50Us: at(0.5), p99Us: at(0.99) }
}
