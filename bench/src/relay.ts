// Measures chats through the server and a backend over a bare relay of node:http and node:http2, and the reference server
// where LOCALAI_BIN names its binary, in one run: rounds in turn, each server on processor 0, backend and load on
// processor 1. All of them have the same backend, which answers prepared messages.
//   pnpm --filter @svc/bench relay [-- --rounds 5 --seconds 2 --profile]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { encodeMessage, PredictOptions } from '@svc/backend-client/proto'
import { median, runLoad } from './load.ts'
import { type PacedFigures, paceCalls, paceRequests } from './paced-load.ts'
import { type CpuProfile, sumProfile } from './profile-folders.ts'
import { type Side, startBackend, startBare, startReference, startSvc } from './relay-sides.ts'
import { CHAT_PATH } from './server.ts'
import { timeStart } from './start-times.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    pieces: { type: 'string', default: '200' },
    profile: { type: 'boolean', default: false },
  },
})
const [rounds, seconds, connections, pieces] = [
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
  Number(values.pieces),
]
/** Requests a second where latencies are measured. */
const PACE = 100
const IDLE_MS = 2000
const CHATS = 200
const PROMPT = 'Hello there, how are you today?'
const toBody = (stream: boolean): string =>
  JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: PROMPT }] })

/** Figures of a round of a side. */
interface Round {
  /** Processor time in µs. */
  readonly chat: number
  readonly event: number
  /** Milliseconds over a direct call of the backend. */
  readonly added: PacedFigures
  readonly startMs: number | undefined
}

/** MiB of memory. */
interface Memory {
  readonly idle: number
  readonly afterChats: number
}

async function costOfRequest({ server, headers }: Side, stream: boolean): Promise<number> {
  const before = server.cpuSeconds()
  const load = { url: server.url, path: CHAT_PATH, body: toBody(stream), headers, connections, seconds }
  const { requests } = await runLoad(load)
  return ((server.cpuSeconds() - before) / requests) * 1e6
}

async function measureRound(side: Side, direct: PacedFigures): Promise<Round> {
  const chat = await costOfRequest(side, false)
  const streamed = await costOfRequest(side, true)
  const request = { url: side.server.url, path: CHAT_PATH, body: toBody(false), headers: side.headers }
  const { p50, p90, p99 } = await paceRequests(request, { perSecond: PACE, seconds })
  return {
    chat,
    event: (streamed - chat) / pieces,
    added: { p50: p50 - direct.p50, p90: p90 - direct.p90, p99: p99 - direct.p99 },
    startMs: side.start && (await timeStart(side.start)),
  }
}

function readMemory({ server }: Side): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** The memory of a side before and after its first chats, one after the other. */
async function measureMemory(side: Side): Promise<Memory> {
  await sleep(IDLE_MS)
  const idle = readMemory(side)
  for (let chat = 0; chat < CHATS; chat += 1) {
    const body = toBody(false)
    const reply = await fetch(`${side.server.url}${CHAT_PATH}`, { method: 'POST', headers: side.headers, body })
    const text = await reply.text()
    if (!text.includes('word')) throw new Error(`${side.name} answered ${reply.status} ${text.slice(0, 200)}`)
  }
  return { idle, afterChats: readMemory(side) }
}

/** A row: a figure of each side, over the figure it is compared with. */
interface Row {
  readonly name: string
  readonly unit: string
  readonly pick: (round: Round) => number | undefined
  readonly base: (bare: Round) => number | undefined
  readonly goal: string
  readonly stretch: string
}

const ROWS: readonly Row[] = [
  { name: 'chat, CPU', unit: 'µs', pick: ({ chat }) => chat, base: ({ chat }) => chat, goal: '2.0', stretch: '1.6' },
  {
    name: 'event of a stream, CPU over a bare chat',
    unit: 'µs',
    pick: ({ event }) => event,
    base: ({ chat }) => chat,
    goal: '0.12',
    stretch: '0.08',
  },
  ...(['p50', 'p90', 'p99'] as const).map((name) => ({
    name: `added ${name}, ${PACE} requests/s`,
    unit: 'ms',
    pick: ({ added }: Round) => added[name],
    base: ({ added }: Round) => added[name],
    goal: name === 'p99' ? '' : '2',
    stretch: name === 'p99' ? '' : '1.5',
  })),
  {
    name: 'spawn to ready',
    unit: 'ms',
    pick: ({ startMs }) => startMs,
    base: ({ startMs }) => startMs,
    goal: '2.5',
    stretch: '2.0',
  },
]

function toCell({ pick, base, unit }: Row, side: readonly Round[], bare: readonly Round[]): string {
  const figures = side.map(pick).filter((figure) => figure !== undefined)
  if (figures.length === 0) return ''
  const ratios = side.map((round, index) => {
    const against = bare[index]
    return (pick(round) ?? Number.NaN) / ((against && base(against)) ?? Number.NaN)
  })
  const value = median(figures)
  return `${value.toFixed(value < 10 ? 2 : 0)} ${unit}, ${median(ratios).toFixed(2)}`
}

function printTable(sides: readonly Side[], measured: ReadonlyMap<Side, Round[]>, memory: ReadonlyMap<Side, Memory>) {
  const [bare] = sides
  const bareRounds = (bare && measured.get(bare)) ?? []
  const line = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`)
  line(['', ...sides.map(({ name }) => name), 'goal', 'stretch'])
  line(['---', ...sides.map(() => '---'), '---', '---'])
  for (const row of ROWS) {
    line([row.name, ...sides.map((side) => toCell(row, measured.get(side) ?? [], bareRounds)), row.goal, row.stretch])
  }
  const toMemory = (side: Side): string => {
    const { idle, afterChats } = memory.get(side) ?? { idle: Number.NaN, afterChats: Number.NaN }
    return `${idle.toFixed(0)} / ${afterChats.toFixed(0)}`
  }
  line([`memory idle / after ${CHATS} chats, MiB`, ...sides.map(toMemory), '90 / 110', ''])
}

async function printProfile({ name, pprof, server, headers }: Side, stream: boolean): Promise<void> {
  if (pprof === undefined) return
  const load = { url: server.url, path: CHAT_PATH, body: toBody(stream), headers, connections }
  const running = runLoad({ ...load, seconds: seconds + 1 })
  const reply = await fetch(`${pprof}/debug/pprof/profile?seconds=${seconds}`)
  const { folders, functions } = sumProfile((await reply.json()) as CpuProfile, 20)
  await running
  console.log(`\n${name}, ${stream ? 'streams' : 'chats'}: share of busy time by folder, then by function\n`)
  console.log(`${folders.join('\n')}\n\n${functions.join('\n')}`)
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const backend = await startBackend(folder, pieces)
const stage = { folder, backendPort: backend.port }
const binary = process.env.LOCALAI_BIN
const sides: Side[] = []
try {
  sides.push(await startBare(stage), await startSvc(stage, 'plain'), await startSvc(stage, 'filtered'))
  if (binary !== undefined) sides.push(await startReference(stage, binary))
  const memory = new Map<Side, Memory>()
  for (const side of sides) memory.set(side, await measureMemory(side))
  const call = {
    port: backend.port,
    path: '/backend.Backend/Predict',
    message: encodeMessage(PredictOptions, PredictOptions.fromPartial({ Prompt: PROMPT })),
  }
  const measured = new Map<Side, Round[]>(sides.map((side) => [side, []]))
  for (const side of sides) await costOfRequest(side, true)
  for (let round = 0; round < rounds; round += 1) {
    const direct = await paceCalls(call, { perSecond: PACE, seconds })
    for (const side of sides) measured.get(side)?.push(await measureRound(side, direct))
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  console.log(
    `\n${rounds} rounds of ${seconds} s, ${connections} connections, ${pieces} events a stream; each cell is a median, then the median of the ratios over the bare relay\n`,
  )
  printTable(sides, measured, memory)
  if (values.profile) for (const side of sides) for (const stream of [false, true]) await printProfile(side, stream)
} finally {
  for (const { server } of sides) await server.stop()
  backend.stop()
  rmSync(folder, { recursive: true, force: true })
}
