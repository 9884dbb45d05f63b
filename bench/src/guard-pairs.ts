import { join } from 'node:path'
import type { GuardFigures, Pair } from './guard-verdict.ts'
import { runLoad } from './load.ts'
import { findMiddle } from './median-interval.ts'
import { type Measured, startMeasured } from './processes.ts'
import { toChat } from './relay-rounds.ts'
import { freshServer } from './relay-sides.ts'
import { CHAT_PATH } from './server.ts'
import { type StartedProgram, timeStart } from './start-times.ts'

/** What all pairs share. */
export interface GuardStage {
  readonly folder: string
  readonly backendPort: number
  /** Events of a stream of the backend. */
  readonly pieces: number
  readonly entries: Readonly<Record<keyof Pair, string>>
  readonly signal: AbortSignal
}

const CONNECTIONS = 32
const WARM_CHATS = 2000
/** Counts of one turn; each build has four in a pair. */
const CHATS = 400
const STREAMS = 64

type Side = keyof Pair

/** Measures the builds in turn, each with new processes in every pair. */
export interface Guard {
  /** @param index which of the builds begins: the base in even pairs */
  measurePair(index: number): Promise<Pair>
}

/** Prepares the folders of both builds and starts each once, so that later starts find what the first has written. */
export async function openGuard({ folder, entries, signal, ...stage }: GuardStage): Promise<Guard> {
  const prepare = (side: Side): Promise<StartedProgram> =>
    freshServer(join(folder, side), { ...stage, entry: entries[side] })
  const programs = { base: await prepare('base'), head: await prepare('head') }
  for (const program of Object.values(programs)) await timeStart(program, { signal })

  async function measurePair(index: number): Promise<Pair> {
    const order: readonly Side[] = index % 2 === 0 ? ['base', 'head'] : ['head', 'base']
    const starts = [...order, ...order.toReversed()]
    const turns = [...starts, ...starts.toReversed()]
    const startMs = await inTurn(starts, async (side) => (await timeStart(programs[side], { signal })).cpuMs)
    const servers = new Map<Side, Measured>()
    try {
      for (const side of order) servers.set(side, await startMeasured({ cpu: 0, ...programs[side], signal }))
      const server = (side: Side): Measured => servers.get(side) as Measured
      const cost = (side: Side, stream: boolean, requests: number): Promise<number> =>
        costOfRequest(server(side), { stream, requests, signal })
      for (const side of order) {
        await cost(side, false, WARM_CHATS)
        await cost(side, true, STREAMS)
      }
      const chatUs = await inTurn(turns, (side) => cost(side, false, CHATS))
      const streamUs = await inTurn(turns, (side) => cost(side, true, STREAMS))
      const toFigures = (side: Side): GuardFigures => ({
        chatUs: chatUs[side],
        eventUs: (streamUs[side] - chatUs[side]) / stage.pieces,
        startMs: startMs[side],
      })
      return { base: toFigures('base'), head: toFigures('head') }
    } finally {
      await Promise.all([...servers.values()].map((server) => server.stop()))
    }
  }
  return { measurePair }
}

/** Measures both builds in turn. @returns the median of each */
async function inTurn(
  turns: readonly Side[],
  measure: (side: Side) => Promise<number>,
): Promise<Readonly<Record<Side, number>>> {
  const measured: Record<Side, number[]> = { base: [], head: [] }
  for (const side of turns) measured[side].push(await measure(side))
  return { base: findMiddle(measured.base), head: findMiddle(measured.head) }
}

/** Processor time of a chat, µs. */
async function costOfRequest(
  server: Measured,
  { stream, ...options }: { readonly stream: boolean; readonly requests: number; readonly signal: AbortSignal },
): Promise<number> {
  const before = server.cpuSeconds()
  const load = { url: server.url, path: CHAT_PATH, body: toChat(stream), connections: CONNECTIONS }
  const { requests } = await runLoad({ ...load, ...options })
  return ((server.cpuSeconds() - before) / requests) * 1e6
}
