import { Agent, request } from 'node:http'

/** What a burst of requests showed. */
export interface LoadFigures {
  readonly requests: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Bytes of the first reply, so that both sides can be shown to answer the same. */
  readonly replyBytes: number
}

/** Keeps `connections` requests under way for `seconds`; each connection is used again and again. */
export async function runLoad(options: {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly connections: number
  readonly seconds: number
}): Promise<LoadFigures> {
  const { hostname, port } = new URL(options.url)
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const latencies: number[] = []
  let replyBytes = 0
  const begun = performance.now()
  const end = begun + options.seconds * 1000

  const one = (): Promise<number> =>
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
          let bytes = 0
          incoming.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          incoming.on('end', () => {
            if (incoming.statusCode === 200) resolve(bytes)
            else reject(new Error(`status ${incoming.statusCode}`))
          })
          incoming.on('error', reject)
        },
      )
      outgoing.on('error', reject)
      outgoing.end(options.body)
    })

  async function connection(): Promise<void> {
    while (performance.now() < end) {
      const start = performance.now()
      replyBytes = await one()
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: options.connections }, connection))
  const seconds = (performance.now() - begun) / 1000
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    seconds,
    requestsPerSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    replyBytes,
  }
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
