import { connect, type Socket } from 'node:net'

/** A reply that has not come after this time fails the measurement, milliseconds. */
const REPLY_MS = 60_000

/** Result of a burst of requests. */
export interface LoadFigures {
  readonly requests: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Bytes of the last reply's body, with the framing of its chunks, to show that both sides answer the same. */
  readonly replyBytes: number
}

/**
 * Keeps `connections` requests running over persistent connections, for `seconds` or until there were `requests`. It parses just enough HTTP to find
 * the end of a reply. A client as costly as the measured server would leave that idle half of the time, and then the
 * measurement would mostly show its sleeping and waking.
 */
export async function runLoad(options: {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly connections: number
  /** @default no limit: `requests` ends the load */
  readonly seconds?: number | undefined
  /** @default no limit: `seconds` end the load */
  readonly requests?: number | undefined
  /** Ends the load with an error. */
  readonly signal?: AbortSignal | undefined
}): Promise<LoadFigures> {
  const { hostname, port } = new URL(options.url)
  const request = requestBytes(options)
  const latencies: number[] = []
  let replyBytes = 0
  let left = options.requests ?? Number.POSITIVE_INFINITY
  const begun = performance.now()
  const end = begun + (options.seconds ?? Number.POSITIVE_INFINITY) * 1000

  async function connection(): Promise<void> {
    const client = await openClient(hostname, Number(port))
    try {
      while (left > 0 && performance.now() < end) {
        options.signal?.throwIfAborted()
        left -= 1
        const start = performance.now()
        replyBytes = await client.ask(request)
        latencies.push(performance.now() - start)
      }
    } finally {
      client.close()
    }
  }
  await Promise.all(Array.from({ length: options.connections }, connection))
  const seconds = (performance.now() - begun) / 1000
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

/** A whole request. */
export function requestBytes(options: {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}): Buffer {
  const fields = {
    host: new URL(options.url).host,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(options.body)),
    ...options.headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${options.path} HTTP/1.1\r\n${lines.join('')}\r\n${options.body}`)
}

/** A connection with one request at a time. */
export interface Client {
  /** Bytes of the reply's body. @throws {Error} for any status but 200, and where the connection ends */
  ask(request: Uint8Array): Promise<number>
  close(): void
}

/** Opens a connection. */
export async function openClient(host: string, port: number): Promise<Client> {
  const socket: Socket = connect({ host, port, noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let text = ''
  let waiting: { readonly resolve: (bytes: number) => void; readonly reject: (error: Error) => void } | undefined
  const fail = (error: Error): void => waiting?.reject(error)
  socket.setTimeout(REPLY_MS, () => socket.destroy(new Error(`no reply within ${REPLY_MS / 1000} s`)))
  socket.on('error', fail).on('close', () => fail(new Error('the connection ended')))
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const bytes = bodyBytes(text)
    if (bytes === undefined) return
    const isRight = text.startsWith('HTTP/1.1 200 ')
    const { resolve, reject } = waiting ?? {}
    const start = text.slice(0, 40)
    text = ''
    waiting = undefined
    if (isRight) resolve?.(bytes)
    else reject?.(new Error(`not answered: ${start}`))
  })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => void socket.destroy(),
  }
}

/** Bytes of the body of a complete reply; undefined before. */
function bodyBytes(text: string): number | undefined {
  const start = text.indexOf('\r\n\r\n') + 4
  if (start < 4) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, start))?.[1]
  const bytes = text.length - start
  const isWhole = length === undefined ? text.endsWith('\r\n0\r\n\r\n') : bytes >= Number(length)
  return isWhole ? bytes : undefined
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
