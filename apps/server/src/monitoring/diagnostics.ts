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

/** A request, as far as diagnostics read it. */
export interface DiagnosticsRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly host?: string | undefined; readonly 'sec-fetch-site'?: string | string[] | undefined }
}

/** A reply, as far as diagnostics write it. */
export interface DiagnosticsReply {
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(body: string): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** Answers profiling requests (§8), without credentials: they are taken on a numeric loopback address only. */
export interface Diagnostics {
  answer(request: DiagnosticsRequest, reply: DiagnosticsReply): void
  /** Ends the recording that runs. */
  close(): void
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

function send(reply: DiagnosticsReply, status: number, contentType: string, body: string): void {
  reply.writeHead(status, {
    'Content-Type': contentType,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(body),
  })
  reply.end(body)
}

/** Makes the diagnostics of this process. */
export function createDiagnostics({ clock, log }: { readonly clock: Clock; readonly log: Logger }): Diagnostics {
  const stopping = new AbortController()
  let recording = false

  async function record(url: URL, run: Recording, reply: DiagnosticsReply): Promise<void> {
    const seconds = readSeconds(url)
    if (seconds === undefined)
      return send(reply, 400, 'text/plain', `seconds must be over 0 and at most ${MAX_SECONDS}\n`)
    if (recording) return send(reply, 409, 'text/plain', 'another recording is running\n')
    recording = true
    const session = new Session()
    session.connect()
    const gone = new AbortController()
    reply.once('close', () => gone.abort())
    const signal = AbortSignal.any([stopping.signal, gone.signal])
    try {
      const profile = await run(session, seconds, (ms) => clock.sleep(ms, { signal }))
      send(reply, 200, 'application/json', JSON.stringify(profile))
    } finally {
      session.disconnect()
      recording = false
    }
  }

  async function handle(request: DiagnosticsRequest, reply: DiagnosticsReply): Promise<void> {
    // Refuses a page that rebinds a name to this address: its requests carry that name.
    if (!/^(127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(request.headers.host ?? ''))
      return send(reply, 421, 'text/plain', 'misdirected\n')
    // A page of another port can read nothing here, and must not begin a recording either.
    if (['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site'])))
      return send(reply, 403, 'text/plain', 'not for pages elsewhere\n')
    if (request.method !== 'GET') return send(reply, 405, 'text/plain', 'GET only\n')
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const run = Object.hasOwn(RECORDINGS, url.pathname) ? RECORDINGS[url.pathname] : undefined
    if (run !== undefined) return record(url, run, reply)
    if (url.pathname === '/debug/pprof/runtime') {
      const figures = {
        memory: process.memoryUsage(),
        eventLoop: performance.eventLoopUtilization(),
        uptimeSeconds: process.uptime(),
      }
      return send(reply, 200, 'application/json', JSON.stringify(figures))
    }
    if (url.pathname === '/debug/pprof' || url.pathname === '/debug/pprof/')
      return send(reply, 200, 'text/plain', INDEX)
    send(reply, 404, 'text/plain', 'not found\n')
  }

  return {
    answer(request, reply) {
      handle(request, reply).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error }, 'diagnostics request failed')
        reply.destroy()
      })
    },
    close: () => stopping.abort(),
  }
}
