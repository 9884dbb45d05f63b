// Measures requests and streams through the relay over a bare node:http relay (http.request and pipe), and nginx where
// it is installed, in front of the same upstream, in one run: rounds in turn, the measured relay alone on processor 0,
// upstream and load on processor 1.
//   pnpm --filter @svc/bench proxy [-- --seconds 3 --rounds 5 --only library]
// Bare sockets, which pass bytes on without reading them, are the floor. The server runs twice, once with five patterns
// in every request. Streams are measured twice: in step, where every stream has an event at the same moment, and at
// their own pace, as answers of a model have.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type LoadFigures, median, runLoad } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { CHAT_PATH, FIVE_PATTERNS, startServer, startUpstream } from './server.ts'
import { runStreams, type StreamFigures } from './stream-load.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    streams: { type: 'string', default: '16' },
    events: { type: 'string', default: '200' },
    'interval-ms': { type: 'string', default: '2' },
    'pace-ms': { type: 'string', default: '20' },
    only: { type: 'string' },
  },
})
const [seconds, rounds, connections, streams] = [
  Number(values.seconds),
  Number(values.rounds),
  Number(values.connections),
  Number(values.streams),
]
const HEADERS = { authorization: 'Bearer bench-key' }
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const at = (name: string): string => join(folder, name)
const question = 'Tell me about the weather in the mountains, please, and do not leave anything out. '.repeat(10)

/** Interval of a stream's events. */
interface Pace {
  readonly events: number
  readonly intervalMs: number
  /** Whether all streams have their events at the same moment. */
  readonly inStep: boolean
}

const IN_STEP: Pace = { events: Number(values.events), intervalMs: Number(values['interval-ms']), inStep: true }
const OWN_PACE: Pace = { events: Number(values.events), intervalMs: Number(values['pace-ms']), inStep: false }

function toBody(pace?: Pace): string {
  const messages = [{ role: 'user', content: question }]
  const streaming = pace === undefined ? { stream: false } : { stream: true, metadata: pace }
  return JSON.stringify({ model: 'm', temperature: 0.7, messages, ...streaming })
}

/** A measured relay with its results. */
interface Side {
  readonly name: string
  readonly target: Measured
  readonly requests: (LoadFigures & { readonly cpuUs: number })[]
  readonly inStep: CostlyStreams[]
  readonly ownPace: CostlyStreams[]
}

type CostlyStreams = StreamFigures & { readonly cpuUs: number }

async function startScript(script: URL, upstreamPort: number): Promise<Measured> {
  const port = await freePort()
  const args = [fileURLToPath(script), String(port), String(upstreamPort)]
  return startMeasured({ cpu: 0, args, url: `http://127.0.0.1:${port}`, ready: '/' })
}

/** Starts the whole server with one key, and one model at an upstream. */
function startSvc(upstream: Measured, name: string, hasPatterns: boolean): Promise<Measured> {
  const proxy = { upstream_url: `${upstream.url}${CHAT_PATH}`, upstream_model: 'upstream-model' }
  const pii = hasPatterns ? { enabled: true, detectors: ['secrets'] } : { enabled: false }
  return startServer({
    folder: at(name),
    models: [
      { name: 'm', backend: 'cloud-proxy', known_usecases: ['chat'], proxy, pii },
      { name: 'secrets', backend: 'pattern', pii_detection: { builtins: FIVE_PATTERNS } },
    ],
    flags: ['--api-keys=bench-key'],
    cpu: 0,
  })
}

async function startNginx(upstreamPort: number): Promise<Measured | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined
  const port = await freePort()
  writeFileSync(
    at('nginx.conf'),
    `daemon off; master_process off; pid ${at('nginx.pid')}; error_log ${at('nginx.log')};
events { worker_connections 4096; }
http {
  access_log /dev/null; client_body_temp_path ${at('nginx-body')}; proxy_temp_path ${at('nginx-proxy')};
  fastcgi_temp_path ${at('nginx-f')}; uwsgi_temp_path ${at('nginx-u')}; scgi_temp_path ${at('nginx-s')};
  keepalive_requests 1000000;
  upstream model { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    location = /ready { return 200; }
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}`,
  )
  const url = `http://127.0.0.1:${port}`
  return startMeasured({ cpu: 0, command: 'nginx', args: ['-c', at('nginx.conf'), '-p', folder], url, ready: '/ready' })
}

async function measureRequests({ target, requests }: Side): Promise<void> {
  const before = target.cpuSeconds()
  const figures = await runLoad({
    url: target.url,
    path: CHAT_PATH,
    body: toBody(),
    headers: HEADERS,
    connections,
    seconds,
  })
  requests.push({ ...figures, cpuUs: ((target.cpuSeconds() - before) / figures.requests) * 1e6 })
}

async function measureStreams({ url, cpuSeconds }: Measured, pace: Pace): Promise<CostlyStreams> {
  const before = cpuSeconds()
  const load = { url, path: CHAT_PATH, body: toBody(pace), headers: HEADERS, connections: streams, seconds }
  const figures = await runStreams(load)
  return { ...figures, cpuUs: ((cpuSeconds() - before) / figures.events) * 1e6 }
}

/** Ratios of a side's figures to the figures of the baseline, round by round. */
function ratio<T>(of: readonly T[], base: readonly T[], pick: (figures: T) => number): string {
  return median(of.flatMap((figures, round) => (base[round] ? [pick(figures) / pick(base[round])] : []))).toFixed(2)
}

function report(sides: readonly Side[], direct: Side): void {
  const bare = sides.find(({ name }) => name === 'bare relay')
  if (bare === undefined) return
  console.log(`\nrequests (${connections} connections, ${rounds} rounds of ${seconds} s, medians)\n`)
  console.log(
    '| | requests/s | CPU µs a request | over bare | added p50 ms | added p99 ms |\n|---|---|---|---|---|---|',
  )
  for (const { name, requests } of sides) {
    const of = (pick: (figures: (typeof requests)[number]) => number): number => median(requests.map(pick))
    const added = (pick: (figures: LoadFigures) => number): string =>
      (of(pick) - median(direct.requests.map(pick))).toFixed(2)
    const over = ratio(requests, bare.requests, ({ cpuUs }) => cpuUs)
    console.log(
      `| ${name} | ${of((f) => f.requestsPerSecond).toFixed(0)} | ${of((f) => f.cpuUs).toFixed(0)} | ${over} | ${added((f) => f.p50Ms)} | ${added((f) => f.p99Ms)} |`,
    )
  }
  const { intervalMs, events } = IN_STEP
  console.log(`\nstreams in step (${streams} at once, ${events} events each, all of them every ${intervalMs} ms)\n`)
  reportStreams(sides, direct, ({ inStep }) => inStep)
  console.log(
    `\nstreams at a pace of their own (${streams} at once, ${events} events each, one every ${OWN_PACE.intervalMs} ms)\n`,
  )
  reportStreams(sides, direct, ({ ownPace }) => ownPace)
}

function reportStreams(sides: readonly Side[], direct: Side, events: (side: Side) => readonly CostlyStreams[]): void {
  const [bare] = sides
  if (bare === undefined) return
  console.log('| | events/s | CPU µs an event | over bare | added p50 µs | added p99 µs |\n|---|---|---|---|---|---|')
  for (const side of sides) {
    const of = (pick: (figures: CostlyStreams) => number): number => median(events(side).map(pick))
    const added = (pick: (figures: StreamFigures) => number): string =>
      (of(pick) - median(events(direct).map(pick))).toFixed(0)
    const over = ratio(events(side), events(bare), ({ cpuUs }) => cpuUs)
    console.log(
      `| ${side.name} | ${of((f) => f.eventsPerSecond).toFixed(0)} | ${of((f) => f.cpuUs).toFixed(1)} | ${over} | ${added((f) => f.p50Us)} | ${added((f) => f.p99Us)} |`,
    )
  }
}

const upstream = await startUpstream(1)
const port = Number(new URL(upstream.url).port)
const side = (name: string, target: Measured): Side => ({ name, target, requests: [], inStep: [], ownPace: [] })
const direct = side('direct', upstream)
const sides: Side[] = [side('bare relay', await startScript(new URL('./bare-relay.mjs', import.meta.url), port))]
try {
  const wanted = (name: string): boolean => values.only === undefined || values.only === name
  if (wanted('sockets'))
    sides.push(side('bare sockets', await startScript(new URL('./socket-relay.mjs', import.meta.url), port)))
  if (wanted('library'))
    sides.push(side('library relay', await startScript(new URL('./library-relay.mjs', import.meta.url), port)))
  if (wanted('svc')) {
    sides.push(side('svc', await startSvc(upstream, 'plain', false)))
    sides.push(side('svc, five patterns', await startSvc(upstream, 'filtered', true)))
  }
  const nginx = wanted('nginx') ? await startNginx(port) : undefined
  if (nginx !== undefined) sides.push(side('nginx', nginx))
  const all = [direct, ...sides]
  for (const each of all) {
    await runLoad({ url: each.target.url, path: CHAT_PATH, body: toBody(), headers: HEADERS, connections, seconds: 2 })
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const each of all) await measureRequests(each)
    for (const { target, inStep } of all) inStep.push(await measureStreams(target, IN_STEP))
    for (const { target, ownPace } of all) ownPace.push(await measureStreams(target, OWN_PACE))
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  report(sides, direct)
} finally {
  for (const { target } of [...sides, direct]) await target.stop()
  rmSync(folder, { recursive: true, force: true })
}
