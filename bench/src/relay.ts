// Measures chats through the server and a backend over a bare relay of node:http and node:http2, and the reference server
// where LOCALAI_BIN names its binary, in one run: rounds in turn, each server on processor 0, backend and load on
// processor 1. All of them have the same backend, which answers prepared messages. The bare side of a start is Node with
// an HTTP server.
//   pnpm --filter @svc/bench relay [-- --rounds 5 --seconds 2 --profile]
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runToEnd } from './ending.ts'
import { runLoad } from './load.ts'
import { readNumber, readWholeNumber } from './option-checks.ts'
import { paceCalls } from './paced-load.ts'
import { type CpuProfile, sumProfile } from './profile-folders.ts'
import { costOfChat, measureRound, type RoundOptions, toChat, toDirectCall } from './relay-rounds.ts'
import { type Side, startBackend, startBare, startReference, startSvc } from './relay-sides.ts'
import { PACE, type RelayFigures, toRelayTable } from './relay-table.ts'
import { CHAT_PATH } from './server.ts'

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
const rounds = readWholeNumber('rounds', values.rounds, { least: 1, most: 1000 })
const seconds = readNumber('seconds', values.seconds, { least: 0.1, most: 600 })
const connections = readWholeNumber('connections', values.connections, { least: 1, most: 1000 })
const pieces = readWholeNumber('pieces', values.pieces, { least: 1, most: 100_000 })

async function printProfile({ name, pprof, server, headers }: Side, stream: boolean): Promise<void> {
  if (pprof === undefined) return
  const load = { url: server.url, path: CHAT_PATH, body: toChat(stream), headers, connections }
  const running = runLoad({ ...load, seconds: seconds + 1 })
  const reply = await fetch(`${pprof}/debug/pprof/profile?seconds=${Math.ceil(seconds)}`)
  const { folders, functions } = sumProfile((await reply.json()) as CpuProfile, 20)
  await running
  console.log(`\n${name}, ${stream ? 'streams' : 'chats'}: share of busy time by folder, then by function\n`)
  console.log(`${folders.join('\n')}\n\n${functions.join('\n')}`)
}

const load = (): string => (loadavg()[0] ?? Number.NaN).toFixed(1)

async function measure(sides: readonly Side[], backendPort: number, signal: AbortSignal): Promise<void> {
  const options: RoundOptions = { seconds, connections, pieces, signal }
  const loadBefore = load()
  for (const side of sides) {
    for (const stream of [false, true]) await costOfChat(side, { ...options, stream })
  }
  const measured = new Map<Side, RelayFigures[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < rounds; round += 1) {
    const direct = await paceCalls(toDirectCall(backendPort), { perSecond: PACE, seconds })
    for (const side of sides) measured.get(side)?.push(await measureRound(side, direct, options))
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  const [bare = [], svc = [], filtered = [], reference] = sides.map((side) => measured.get(side) ?? [])
  console.log(
    `\n${rounds} rounds of ${seconds} s in turn, ${connections} connections, ${pieces} events a stream, load of the machine ${loadBefore} to ${load()}; medians, least and most of the rounds in brackets\n`,
  )
  console.log(toRelayTable({ bare, svc, filtered, reference }))
}

await runToEnd(async (signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const sides: Side[] = []
  let stopBackend = (): void => undefined
  try {
    const backend = await startBackend(folder, pieces)
    stopBackend = () => backend.stop()
    const stage = { folder, backendPort: backend.port }
    sides.push(await startBare(stage), await startSvc(stage, 'plain'), await startSvc(stage, 'filtered'))
    const binary = process.env.LOCALAI_BIN
    if (binary !== undefined) sides.push(await startReference(stage, binary))
    await measure(sides, backend.port, signal)
    if (values.profile) for (const side of sides) for (const stream of [false, true]) await printProfile(side, stream)
  } finally {
    for (const { server } of sides) await server.stop()
    stopBackend()
    rmSync(folder, { recursive: true, force: true })
  }
})
