// Compares warm requests through a front end to a worker with the same requests to one server: the time that is added to
// a direct call of the backend at the worker, and processor time. Then sends load to one, two and four front ends, and
// counts the transactions of the database. The backend is the mock. It needs PostgreSQL and nats-server.
//   pnpm --filter @svc/bench cluster [-- --rounds 5 --seconds 2 --connections 4 --quick --profile]
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { encodeMessage, PredictOptions } from '@svc/backend-client/proto'
import { countQueries } from './cluster-queries.ts'
import { BODY, FRONT_ENDS, headers, PROMPT, startWorld, TOKEN } from './cluster-servers.ts'
import { ratios, spread, toTable } from './figures.ts'
import { runLoad } from './load.ts'
import { paceCalls, paceRequests } from './paced-load.ts'
import type { Measured } from './processes.ts'
import { type CpuProfile, sumProfile } from './profile-folders.ts'
import { CHAT_PATH } from './server.ts'

/** Figures of one side in one round. */
interface Figures {
  readonly requestsPerSecond: number
  /** Processor time of the servers, µs a request. */
  readonly cpuUs: number
}

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '4' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds ?? (values.quick ? 3 : 7))
const seconds = Number(values.seconds ?? (values.quick ? 1 : 2))
const connections = Number(values.connections)
/** Requests a second where latencies are measured. */
const PACE = 50
/** Time limit of the whole run. */
const LIMIT_MS = 120_000 + rounds * seconds * 30_000

const log = (text: string): void => void process.stderr.write(`${text}\n`)
const ending = new AbortController()
const timer = setTimeout(() => ending.abort(new Error(`not done within ${LIMIT_MS / 1000} s`)), LIMIT_MS)
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort(new Error(`ended by ${name}`)))

/** Load on several servers at once. */
async function measure(servers: readonly Measured[]): Promise<Figures> {
  ending.signal.throwIfAborted()
  const cpuSeconds = (): number => servers.reduce((sum, server) => sum + server.cpuSeconds(), 0)
  const begun = cpuSeconds()
  const load = { path: CHAT_PATH, body: BODY, headers, connections, seconds }
  const all = await Promise.all(servers.map(({ url }) => runLoad({ url, ...load })))
  const requests = all.reduce((sum, each) => sum + each.requests, 0)
  return {
    requestsPerSecond: all.reduce((sum, each) => sum + each.requestsPerSecond, 0),
    cpuUs: ((cpuSeconds() - begun) / requests) * 1e6,
  }
}

/** Milliseconds at the median: a direct call, one server, and a front end. */
async function measureLatency(backendPort: number, servers: readonly Measured[]): Promise<readonly number[]> {
  ending.signal.throwIfAborted()
  const options = { perSecond: PACE, seconds }
  const message = encodeMessage(PredictOptions, PredictOptions.fromPartial({ Prompt: PROMPT }))
  const call = { port: backendPort, path: '/backend.Backend/Predict', message, token: TOKEN }
  const medians = [(await paceCalls(call, options)).p50]
  for (const { url } of servers) {
    medians.push((await paceRequests({ url, path: CHAT_PATH, body: BODY, headers }, options)).p50)
  }
  return medians
}

async function compareWithOne(world: Awaited<ReturnType<typeof startWorld>>, first: Measured): Promise<string> {
  const latencies: (readonly number[])[] = []
  const [alone, cluster]: [Figures[], Figures[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    log(`round ${round + 1} of ${rounds}: one server and a front end`)
    latencies.push(await measureLatency(world.backendPort, [world.one, first]))
    alone.push(await measure([world.one]))
    cluster.push(await measure([first]))
  }
  const addedBy = (side: number): readonly number[] => latencies.map((all) => (all[side] ?? 0) - (all[0] ?? 0))
  const rows = (
    [
      [`added time, p50 at ${PACE} requests/s, ms`, addedBy(1), addedBy(2), 2],
      [`CPU of the server, µs a request, ${connections} connections`, alone.map(toCpu), cluster.map(toCpu), 0],
      ['requests/s', alone.map(toRate), cluster.map(toRate), 0],
    ] as const
  ).map(([name, one, front, digits]) => [
    name,
    spread(one, digits),
    spread(front, digits),
    spread(ratios(front, one), 2),
  ])
  const direct = latencies.map(([time = 0]) => time)
  const head = ['', 'one server', 'front end and worker', 'ratio']
  return `${toTable(head, rows)}\n\nA direct call of the backend: ${spread(direct, 2)} ms.`
}

const toCpu = ({ cpuUs }: Figures): number => cpuUs
const toRate = ({ requestsPerSecond }: Figures): number => requestsPerSecond

async function compareCounts(frontEnds: readonly Measured[]): Promise<string> {
  const counts = [1, 2, FRONT_ENDS]
  const figures = new Map(counts.map((count) => [count, [] as Figures[]]))
  for (let round = 0; round < rounds; round += 1) {
    log(`round ${round + 1} of ${rounds}: ${counts.join(', ')} front ends`)
    for (const count of counts) figures.get(count)?.push(await measure(frontEnds.slice(0, count)))
  }
  const base = (figures.get(1) ?? []).map(toCpu)
  const rows = [...figures].map(([count, all]) => [
    String(count),
    spread(all.map(toRate), 0),
    spread(all.map(toCpu), 0),
    spread(ratios(all.map(toCpu), base), 2),
  ])
  return toTable(['front ends', 'requests/s', 'CPU of the front ends, µs a request', 'over one front end'], rows)
}

async function printProfile(pprof: string, first: Measured): Promise<void> {
  log('profile of a front end')
  const load = { url: first.url, path: CHAT_PATH, body: BODY, headers, connections, seconds: seconds + 2 }
  const running = runLoad(load)
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(60_000)])
  const reply = await fetch(`${pprof}/debug/pprof/profile?seconds=${seconds}`, { signal })
  const { folders, functions } = sumProfile((await reply.json()) as CpuProfile, 30)
  await running
  console.log(`\nShare of busy time by folder, then by function:\n\n${folders.join('\n')}\n\n${functions.join('\n')}`)
}

const world = await startWorld((text) => log(`start: ${text}`), ending.signal)
try {
  const [first] = world.frontEnds
  if (first === undefined) throw new Error('no front end')
  log('warm-up')
  for (const servers of [[world.one], world.frontEnds]) await measure(servers)
  const reports = [await compareWithOne(world, first), await compareCounts(world.frontEnds)]
  log('transactions of the database')
  reports.push(await countQueries(world, { connections, seconds, signal: ending.signal }))
  console.log(
    `${rounds} rounds of ${seconds} s in turn, ${connections} connections to each server, load of the machine ${loadavg()[0]?.toFixed(1)}; medians, least and most in brackets\n`,
  )
  console.log(reports.join('\n\n'))
  if (values.profile) await printProfile(world.pprof, first)
} finally {
  log('end of all processes')
  await world.close()
  clearTimeout(timer)
}
