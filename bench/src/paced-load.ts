import { connect as connectHttp2 } from 'node:http2'
import { type Client, openClient, requestBytes } from './load.ts'

/** Latencies of requests that came at a steady pace, in milliseconds. */
export interface PacedFigures {
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/** Sends something at a steady pace, whether or not the answers before have come. @returns the time each took */
async function pace(
  send: () => Promise<unknown>,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<PacedFigures> {
  const latencies: number[] = []
  const sent: Promise<void>[] = []
  const begun = performance.now()
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const wait = begun + (index * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const start = performance.now()
    sent.push(send().then(() => void latencies.push(performance.now() - start)))
  }
  await Promise.all(sent)
  latencies.sort((one, other) => one - other)
  const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}

/** Rate and length of a burst. */
export interface PaceOptions {
  readonly perSecond: number
  readonly seconds: number
}

/** Sends a request to an HTTP server at a steady pace, over as many connections as it needs. */
export async function paceRequests(
  request: Parameters<typeof requestBytes>[0],
  options: PaceOptions,
): Promise<PacedFigures> {
  const { hostname, port } = new URL(request.url)
  const bytes = requestBytes(request)
  const open: Client[] = []
  const idle: Client[] = []
  try {
    return await pace(async () => {
      let client = idle.pop()
      if (client === undefined) {
        client = await openClient(hostname, Number(port))
        open.push(client)
      }
      await client.ask(bytes)
      idle.push(client)
    }, options)
  } finally {
    for (const client of open) client.close()
  }
}

/** A call of a backend on the loopback interface. */
export interface DirectCall {
  readonly port: number
  readonly path: string
  readonly message: Uint8Array
  /** Sent as a bearer. */
  readonly token?: string | undefined
}

/**
 * Calls an rpc of a backend at a steady pace, over one session.
 *
 * @throws {Error} for a call that fails
 */
export async function paceCalls(call: DirectCall, options: PaceOptions): Promise<PacedFigures> {
  const session = connectHttp2(`http://127.0.0.1:${call.port}`)
  const frame = Buffer.concat([Buffer.alloc(5), call.message])
  frame.writeUInt32BE(call.message.length, 1)
  const headers = { ':method': 'POST', ':path': call.path, 'content-type': 'application/grpc', te: 'trailers' }
  const bearer = call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }
  try {
    return await pace(
      () =>
        new Promise((resolve, reject) => {
          const stream = session.request({ ...headers, ...bearer })
          let status: unknown
          const note = (fields: { readonly 'grpc-status'?: unknown }): void => {
            status = fields['grpc-status'] ?? status
          }
          stream.once('response', note).once('trailers', note)
          stream.resume().once('end', () => {
            if (status === '0') resolve(undefined)
            else reject(new Error(`the backend answered status ${String(status)}`))
          })
          stream.once('error', reject)
          stream.end(frame)
        }),
      options,
    )
  } finally {
    session.close()
  }
}
