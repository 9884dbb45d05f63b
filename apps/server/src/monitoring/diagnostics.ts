import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Session } from 'node:inspector/promises'
import { performance } from 'node:perf_hooks'
import type { Clock, Logger } from '../ports.ts'

/** Maximum length of a recording, seconds. */
const MAX_SECONDS = 60
const DEFAULT_SECONDS = 5

const INDEX = `diagnostics of svc

/debug/pprof/profile?seconds=5   CPU profile, open it as .cpuprofile
/debug/pprof/heap?seconds=5      sampled allocations, open it as .heapprofile
/debug/pprof/runtime             memory and event loop figures as JSON
`

/** The profiling listener (§8): off by default, on a numeric loopback address only, without credentials. */
export interface Diagnostics {
  readonly url: string
  close(): Promise<void>
}

type Recording = (session: Session, seconds: number, sleep: (ms: number) => Promise<void>) => Promise<unknown>

const RECORDINGS: Readonly<Record<string, Recording>> = {
  '/debug/pprof/profile': async (session, seconds, sleep) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await sleep(seconds * 1000)
    return (await session.post('Profiler.stop')).profile
  },
  '/debug/pprof/heap': async (session, seconds, sleep) => {
    await session.post('HeapProfiler.enable')
    await session.post('HeapProfiler.startSampling')
    await sleep(seconds * 1000)
    return (await session.post('HeapProfiler.stopSampling')).profile
  },
}

function readSeconds(url: URL): number | undefined {
  const seconds = Number(url.searchParams.get('seconds') ?? DEFAULT_SECONDS)
  return Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS ? seconds : undefined
}

function reply(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' }).end(body)
}

/** Starts the listener. */
export async function startDiagnostics(options: {
  /** A numeric loopback address. */
  readonly address: { readonly host?: string | undefined; readonly port: number }
  readonly clock: Clock
  readonly log: Logger
}): Promise<Diagnostics> {
  const stopping = new AbortController()
  let recording = false

  async function record(url: URL, run: Recording, response: ServerResponse): Promise<void> {
    const seconds = readSeconds(url)
    if (seconds === undefined)
      return reply(response, 400, 'text/plain', `seconds must be over 0 and at most ${MAX_SECONDS}\n`)
    if (recording) return reply(response, 409, 'text/plain', 'another recording is running\n')
    recording = true
    const session = new Session()
    session.connect()
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const signal = AbortSignal.any([stopping.signal, gone.signal])
    try {
      const profile = await run(session, seconds, (ms) => options.clock.sleep(ms, { signal }))
      reply(response, 200, 'application/json', JSON.stringify(profile))
    } finally {
      session.disconnect()
      recording = false
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Refuses a page that rebinds a name to this address: its requests carry that name.
    if (!/^(127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(request.headers.host ?? ''))
      return reply(response, 421, 'text/plain', 'misdirected\n')
    // A page of another port can read nothing here, and must not begin a recording either.
    if (['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site'])))
      return reply(response, 403, 'text/plain', 'not for pages elsewhere\n')
    if (request.method !== 'GET') return reply(response, 405, 'text/plain', 'GET only\n')
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const run = Object.hasOwn(RECORDINGS, url.pathname) ? RECORDINGS[url.pathname] : undefined
    if (run !== undefined) return record(url, run, response)
    if (url.pathname === '/debug/pprof/runtime') {
      const figures = {
        memory: process.memoryUsage(),
        eventLoop: performance.eventLoopUtilization(),
        uptimeSeconds: process.uptime(),
      }
      return reply(response, 200, 'application/json', JSON.stringify(figures))
    }
    if (url.pathname === '/debug/pprof' || url.pathname === '/debug/pprof/')
      return reply(response, 200, 'text/plain', INDEX)
    reply(response, 404, 'text/plain', 'not found\n')
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!stopping.signal.aborted) options.log.warn({ err: error }, 'diagnostics request failed')
      response.destroy()
    })
  })
  const loopback = options.address.host ?? '127.0.0.1'
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.address.port, loopback, resolve)
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.address.port
  const host = loopback.includes(':') ? `[${loopback}]` : loopback
  return {
    url: `http://${host}:${port}/debug/pprof/`,
    async close() {
      stopping.abort()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
