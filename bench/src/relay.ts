// Measures chats per second through server and mock backend over a bare node:http server that answers the same bytes,
// in one run: interleaved pairs, each server alone on processor 0, load and backend on processor 1.
//   pnpm --filter @svc/bench relay [-- --seconds 3 --pairs 5]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { type LoadFigures, median, runLoad } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { CHAT_PATH, startServer } from './server.ts'
import { type CpuProfile, topFunctions } from './top-functions.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    seconds: { type: 'string', default: '3' },
    pairs: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
  },
})
const seconds = Number(values.seconds)
const pairs = Number(values.pairs)
const connections = Number(values.connections)
const WORDS = 20
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const at = (name: string): string => join(folder, name)

async function startPinned(): Promise<{ server: Measured; pprof: string }> {
  const launcher = writeMockLauncher({ folder })
  writeFileSync(at('pinned.sh'), `#!/bin/sh\nexec taskset -c 1 ${launcher.path} "$@"\n`, { mode: 0o755 })
  const script = {
    rules: [{ rpc: 'Predict*', do: { text: Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ') } }],
  }
  const model = {
    name: 'm',
    backend: 'mock',
    known_usecases: ['chat'],
    options: mockOptions(script),
    parameters: { model: 'm.bin' },
  }
  const pprofPort = await freePort()
  const server = await startServer({
    folder,
    models: [model],
    flags: [`--external-grpc-backends=mock:${at('pinned.sh')}`, '--pprof', `--pprof-address=127.0.0.1:${pprofPort}`],
    cpu: 0,
  })
  return { server, pprof: `http://127.0.0.1:${pprofPort}` }
}

async function startBare(name: string, contentType: string, frames: readonly string[]): Promise<Measured> {
  writeFileSync(at(`${name}.json`), JSON.stringify({ contentType, frames }))
  const port = await freePort()
  const script = fileURLToPath(new URL('./bare-server.mjs', import.meta.url))
  return startMeasured({
    cpu: 0,
    args: [script, String(port), at(`${name}.json`)],
    url: `http://127.0.0.1:${port}`,
    ready: '/',
  })
}

interface Side {
  readonly figures: LoadFigures[]
  readonly cpuPerRequestUs: number[]
}

async function measure(side: Side, target: Measured, body: string): Promise<void> {
  const before = target.cpuSeconds()
  const figures = await runLoad({ url: target.url, path: CHAT_PATH, body, connections, seconds })
  side.cpuPerRequestUs.push(((target.cpuSeconds() - before) / figures.requests) * 1e6)
  side.figures.push(figures)
}

function row(name: string, side: Side): string {
  const of = (pick: (figures: LoadFigures) => number): number => median(side.figures.map(pick))
  return `| ${name} | ${of((f) => f.requestsPerSecond).toFixed(0)} | ${median(side.cpuPerRequestUs).toFixed(0)} | ${of((f) => f.p50Ms).toFixed(2)} | ${of((f) => f.p99Ms).toFixed(2)} | ${side.figures[0]?.replyBytes ?? 0} |`
}

async function compare(name: string, server: Measured, stream: boolean): Promise<void> {
  const body = JSON.stringify({
    model: 'm',
    stream,
    messages: [{ role: 'user', content: 'Hello there, how are you today?' }],
  })
  const recorded = await fetch(`${server.url}${CHAT_PATH}`, { method: 'POST', body })
  const text = await recorded.text()
  const frames = stream
    ? text
        .split('\n\n')
        .filter((frame) => frame !== '')
        .map((frame) => `${frame}\n\n`)
    : [text]
  const bare = await startBare(name, recorded.headers.get('content-type') ?? '', frames)
  const ours: Side = { figures: [], cpuPerRequestUs: [] }
  const baseline: Side = { figures: [], cpuPerRequestUs: [] }
  await runLoad({ url: server.url, path: CHAT_PATH, body, connections, seconds: 2 })
  await runLoad({ url: bare.url, path: CHAT_PATH, body, connections, seconds: 1 })
  for (let pair = 0; pair < pairs; pair += 1) {
    await measure(ours, server, body)
    await measure(baseline, bare, body)
    process.stderr.write(`${name}: pair ${pair + 1} of ${pairs}\n`)
  }
  await bare.stop()
  const ratios = ours.figures.map(
    (figures, index) => figures.requestsPerSecond / (baseline.figures[index]?.requestsPerSecond ?? 1),
  )
  const cpuRatios = ours.cpuPerRequestUs.map((cpu, index) => cpu / (baseline.cpuPerRequestUs[index] ?? 1))
  console.log(
    `\n${name} (${frames.length} frames a reply, ${connections} connections, ${pairs} pairs of ${seconds} s, medians)\n`,
  )
  console.log('| | chats/s | CPU µs a chat | p50 ms | p99 ms | reply bytes |\n|---|---|---|---|---|---|')
  console.log(row('svc and mock backend', ours))
  console.log(row('bare node:http', baseline))
  console.log(
    `\nchats per second, ours over bare: ${median(ratios).toFixed(3)}; CPU of the server process a chat: ${median(cpuRatios).toFixed(1)} times bare`,
  )
}

async function profile(server: Measured, pprof: string): Promise<void> {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello' }] })
  const load = runLoad({ url: server.url, path: CHAT_PATH, body, connections, seconds: seconds + 1 })
  const reply = await fetch(`${pprof}/debug/pprof/profile?seconds=${seconds}`)
  const { modules, functions } = topFunctions((await reply.json()) as CpuProfile, 12)
  await load
  console.log(
    `\nwhere the streamed chat spends its time (share of busy time)\n\n${modules.join('\n')}\n\n${functions.join('\n')}`,
  )
}

const { server, pprof } = await startPinned()
try {
  await compare('plain', server, false)
  await compare('streamed', server, true)
  await profile(server, pprof)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
