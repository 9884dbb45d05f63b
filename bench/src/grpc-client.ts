// Processor time of a call to a backend: our client over a bare stream of node:http2, which sends the same bytes, reads no
// message and checks nothing. Rounds in turn; each side has a process of its own on processor 0, the
// backend is on processor 1.
//   pnpm --filter @svc/bench grpc-client [-- --rounds 7 --calls 2000]
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { encodeMessage, type MessageType, Reply } from '@svc/backend-client/proto'
import type { Round, RoundFigures } from './grpc-client-side.ts'
import { median } from './load.ts'
import { freePort } from './processes.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '2000' },
    pieces: { type: 'string', default: '200' },
    lanes: { type: 'string', default: '16' },
  },
})
const [rounds, calls, pieces, lanes] = [values.rounds, values.calls, values.pieces, values.lanes].map(Number) as [
  number,
  number,
  number,
  number,
]

function spawnPinned(processor: number, args: readonly string[], stdio: 'ipc' | 'pipe'): ChildProcess {
  const node = [process.execPath, '--conditions=@svc/source', '--import', 'tsx', ...args]
  return spawn('taskset', ['-c', String(processor), ...node], {
    stdio: ['ignore', stdio === 'ipc' ? 'inherit' : 'pipe', 'inherit', ...(stdio === 'ipc' ? (['ipc'] as const) : [])],
  })
}

const SERVER = fileURLToPath(new URL('./bare-grpc-server.mjs', import.meta.url))
const SIDE = fileURLToPath(new URL('./grpc-client-side.ts', import.meta.url))

const TYPE: MessageType<Reply> = Reply
const reply = encodeMessage(TYPE, TYPE.fromPartial({ message: Buffer.from(' word'), tokens: 7, promptTokens: 40 }))

async function startServer(): Promise<{ readonly port: number; stop(): void }> {
  const port = await freePort()
  const args = [SERVER, String(port), reply.toString('hex'), String(pieces)]
  const server = spawnPinned(1, args, 'pipe')
  if (server.stdout === null) throw new Error('the backend has no output')
  await once(server.stdout, 'data')
  return { port, stop: () => server.kill() }
}

interface Side {
  readonly name: string
  readonly process: ChildProcess
}

async function startSide(name: string, port: number): Promise<Side> {
  const child = spawnPinned(0, [SIDE, name, String(port), String(reply.length + 5)], 'ipc')
  await once(child, 'message')
  return { name, process: child }
}

async function runRound({ process: child }: Side, round: Round): Promise<RoundFigures> {
  const answered = once(child, 'message')
  child.send(round)
  const [figures] = (await answered) as [RoundFigures]
  return figures
}

/** Rounds of a kind on all sides in turn, and their table. */
async function compare(sides: readonly Side[], round: Round, unit: 'call' | 'reply'): Promise<void> {
  const costs = new Map(sides.map(({ name }) => [name, [] as number[]]))
  for (const side of sides) await runRound(side, round)
  for (let count = 0; count < rounds; count += 1) {
    for (const side of sides) {
      const { cpuUs, replies } = await runRound(side, round)
      const expected = round.kind === 'unary' ? round.calls : round.calls * pieces
      if (replies !== expected) throw new Error(`${side.name} got ${replies} replies instead of ${expected}`)
      costs.get(side.name)?.push(cpuUs / (unit === 'call' ? round.calls : replies))
    }
  }
  const bare = costs.get('bare') ?? []
  console.log(`\n| ${round.kind} | CPU µs a ${unit} | over bare | least to most |\n|---|---|---|---|`)
  for (const [name, own] of costs) {
    const ratios = own.map((cost, index) => cost / (bare[index] ?? Number.NaN))
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    console.log(`| ${name} | ${median(own).toFixed(2)} | ${median(ratios).toFixed(2)} | ${range} |`)
  }
}

const server = await startServer()
const names = ['bare', 'own', 'own, pushed']
const sides = await Promise.all(names.map((name) => startSide(name, server.port)))
try {
  const streams = Math.ceil(calls / 10)
  await compare(sides.slice(0, 2), { kind: 'unary', calls, lanes }, 'call')
  await compare(sides, { kind: 'stream-turns', calls: streams, lanes }, 'reply')
  await compare(sides, { kind: 'stream-together', calls: streams, lanes }, 'reply')
} finally {
  for (const side of sides) side.process.disconnect()
  server.stop()
}
