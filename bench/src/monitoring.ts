// Measures the cost of monitoring: processor time of a small relayed request with tracing off, with tracing and no
// bodies, with bodies, and with spans over OTLP, in turn in one run, the server alone on processor 0; the delay of the
// events of many streams while an admin page polls everything once a second, over the same streams without it; and the
// time of long lists and of the summary over many stored traces.
//   pnpm --filter @svc/bench monitoring [-- --seconds 3 --rounds 5 --streams 1000 --traces 100000 --only requests]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type LoadFigures, median, runLoad } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { CHAT_PATH, startServer, startUpstream } from './server.ts'
import { runStreams, type StreamFigures } from './stream-load.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    streams: { type: 'string', default: '1000' },
    traces: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
})
const [seconds, rounds, connections] = [Number(values.seconds), Number(values.rounds), Number(values.connections)]
const HEADERS = { authorization: 'Bearer bench-key' }
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const MESSAGES = [{ role: 'user', content: 'Tell me about the weather in the mountains, please.' }]
const REQUEST = JSON.stringify({ model: 'm', messages: MESSAGES, stream: false })
/** Each stream has an event every half second, at its own moments. */
const PACE = { events: 20, intervalMs: 500, inStep: false }
const STREAM = JSON.stringify({ model: 'm', messages: MESSAGES, stream: true, metadata: PACE })
interface Side {
  readonly name: string
  readonly target: Measured
  readonly figures: (LoadFigures & { readonly cpuUs: number })[]
}

async function startSide(
  name: string,
  upstream: Measured,
  {
    flags = [],
    env = {},
    settings,
  }: { flags?: readonly string[]; env?: NodeJS.ProcessEnv; settings?: Readonly<Record<string, unknown>> } = {},
): Promise<Side> {
  const proxy = { upstream_url: `${upstream.url}${CHAT_PATH}`, upstream_model: 'upstream-model' }
  const target = await startServer({
    folder: join(folder, name.replaceAll(' ', '-')),
    models: [{ name: 'm', backend: 'cloud-proxy', known_usecases: ['chat'], proxy, pii: { enabled: false } }],
    flags: ['--api-keys=bench-key', ...flags],
    env,
    cpu: 0,
  })
  if (settings !== undefined) {
    const headers = { ...HEADERS, 'content-type': 'application/json' }
    const body = JSON.stringify(settings)
    const saved = await fetch(`${target.url}/api/settings`, { method: 'POST', headers, body })
    if (!saved.ok) throw new Error(`the settings were refused: ${await saved.text()}`)
  }
  return { name, target, figures: [] }
}

const load = ({ target }: Side, duration: number): Promise<LoadFigures> =>
  runLoad({ url: target.url, path: CHAT_PATH, body: REQUEST, headers: HEADERS, connections, seconds: duration })

/** Processor time of a request, each way in turn. */
async function measureRequests(upstream: Measured): Promise<void> {
  const sinkPort = await freePort()
  const sink = await startMeasured({
    args: [fileURLToPath(new URL('./otlp-sink.mjs', import.meta.url)), String(sinkPort)],
    url: `http://127.0.0.1:${sinkPort}`,
    ready: '/',
    cpu: 1,
  })
  const flags = ['--enable-tracing']
  const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url }
  const sides = [
    await startSide('off', upstream),
    await startSide('traced', upstream, { flags, settings: { tracing_max_body_bytes: 0 } }),
    await startSide('traced with bodies', upstream, { flags }),
    await startSide('OTLP', upstream, { env: otlp }),
    await startSide('OTLP, one in ten', upstream, {
      env: { ...otlp, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
    }),
  ]
  try {
    for (const side of sides) await load(side, 2)
    for (let round = 0; round < rounds; round += 1) {
      for (const side of sides) {
        const before = side.target.cpuSeconds()
        const figures = await load(side, seconds)
        side.figures.push({ ...figures, cpuUs: ((side.target.cpuSeconds() - before) / figures.requests) * 1e6 })
      }
      process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    }
    console.log(`\nrequests (${connections} connections, ${rounds} rounds of ${seconds} s, medians)\n`)
    console.log('| | requests/s | CPU µs a request | over off |\n|---|---|---|---|')
    const [off] = sides
    for (const { name, figures } of sides) {
      const over = figures.map(({ cpuUs }, round) => cpuUs / (off?.figures[round]?.cpuUs ?? Number.NaN))
      console.log(
        `| ${name} | ${median(figures.map((f) => f.requestsPerSecond)).toFixed(0)} | ${median(figures.map((f) => f.cpuUs)).toFixed(0)} | ${median(over).toFixed(2)} |`,
      )
    }
  } finally {
    for (const { target } of sides) await target.stop()
    await sink.stop()
  }
}

/** Opens the page of an admin, which polls. @returns a function that closes it and gives its slowest reply, milliseconds */
function openPage({ url }: Measured): () => Promise<number> {
  const script = fileURLToPath(new URL('./admin-page.mjs', import.meta.url))
  const page = spawn('taskset', ['-c', '1', process.execPath, script, url, 'bench-key'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let printed = ''
  page.stdout.on('data', (piece: Buffer) => {
    printed += piece.toString()
  })
  const exited = new Promise<void>((resolve) => page.once('close', () => resolve()))
  return async () => {
    page.stdin.end()
    await exited
    return Number(printed)
  }
}

/** Delay of events with and without a page that polls, in turn. */
async function measurePolling(upstream: Measured): Promise<void> {
  const side = await startSide('polled', upstream, { flags: ['--enable-tracing'] })
  const streams = Number(values.streams)
  const measure = (): Promise<StreamFigures> =>
    runStreams({
      url: side.target.url,
      path: CHAT_PATH,
      body: STREAM,
      headers: HEADERS,
      connections: streams,
      seconds: 5,
    })
  const [alone, polled]: [StreamFigures[], StreamFigures[]] = [[], []]
  let slowest = 0
  try {
    await load(side, 2)
    // The first reply of each route loads its code.
    const close = openPage(side.target)
    await new Promise((resolve) => setTimeout(resolve, 3000))
    await close()
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await measure())
      const close = openPage(side.target)
      polled.push(await measure())
      slowest = Math.max(slowest, await close())
      process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    }
  } finally {
    await side.target.stop()
  }
  console.log(`\n${streams} streams, 13 routes polled once a second (${rounds} rounds, medians)\n`)
  console.log('| | events/s | p50 ms | p99 ms |\n|---|---|---|---|')
  for (const [name, figures] of [
    ['alone', alone],
    ['with a page', polled],
  ] as const) {
    const of = (pick: (one: StreamFigures) => number): number => median(figures.map(pick))
    console.log(
      `| ${name} | ${of((f) => f.eventsPerSecond).toFixed(0)} | ${(of((f) => f.p50Us) / 1000).toFixed(2)} | ${(of((f) => f.p99Us) / 1000).toFixed(2)} |`,
    )
  }
  const ratios = polled.map(({ p99Us }, round) => p99Us / (alone[round]?.p99Us ?? Number.NaN))
  console.log(`\np99 with a page over p99 alone: ${median(ratios).toFixed(2)}; slowest poll ${slowest.toFixed(0)} ms`)
}

/** Lists and the summary over many stored traces. */
async function measureLists(upstream: Measured): Promise<void> {
  const wanted = Number(values.traces)
  const side = await startSide('stored', upstream, {
    flags: ['--enable-tracing'],
    settings: { tracing_max_items: wanted, tracing_max_body_bytes: 0 },
  })
  const ask = async (path: string): Promise<{ readonly ms: number; readonly total: number }> => {
    const begun = performance.now()
    const reply = await fetch(`${side.target.url}${path}`, { headers: HEADERS })
    await reply.arrayBuffer()
    return { ms: performance.now() - begun, total: Number(reply.headers.get('x-total-count')) }
  }
  try {
    while ((await ask('/api/traces?limit=1')).total < wanted) await load(side, 5)
    console.log(`\nover ${(await ask('/api/traces?limit=1')).total} traces, 40 calls each\n`)
    console.log('| | p50 ms | p95 ms |\n|---|---|---|')
    for (const path of [
      '/api/traces?limit=50',
      '/api/traces?limit=50&offset=50000',
      '/api/traces?limit=50&status=5xx',
      '/api/traces/summary?hours=168',
    ]) {
      const times: number[] = []
      for (let count = 0; count < 40; count += 1) times.push((await ask(path)).ms)
      times.sort((one, other) => one - other)
      console.log(`| \`${path}\` | ${times[19]?.toFixed(1)} | ${times[37]?.toFixed(1)} |`)
    }
  } finally {
    await side.target.stop()
  }
}

const upstream = await startUpstream(1)
try {
  const isWanted = (name: string): boolean => values.only === undefined || values.only === name
  if (isWanted('requests')) await measureRequests(upstream)
  if (isWanted('polling')) await measurePolling(upstream)
  if (isWanted('lists')) await measureLists(upstream)
} finally {
  await upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
