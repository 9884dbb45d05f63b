import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMessage, PredictOptions } from '@svc/backend-client/proto'
import { runLoad } from './load.ts'
import { type DirectCall, type PacedFigures, paceRequests } from './paced-load.ts'
import { startMeasured } from './processes.ts'
import type { Side } from './relay-sides.ts'
import { CHATS, PACE, type RelayFigures } from './relay-table.ts'
import { CHAT_PATH } from './server.ts'
import { type StartTimes, timeStart } from './start-times.ts'

/** How a side is measured. */
export interface RoundOptions {
  readonly seconds: number
  readonly connections: number
  /** Events of a stream. */
  readonly pieces: number
  readonly signal: AbortSignal
}

const IDLE_MS = 2000
const PROMPT = 'Hello there, how are you today?'

/** The body of a small chat. */
export function toChat(stream: boolean): string {
  return JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: PROMPT }] })
}

/** The call of the backend that a small chat makes. */
export function toDirectCall(port: number): DirectCall {
  const message = encodeMessage(PredictOptions, PredictOptions.fromPartial({ Prompt: PROMPT }))
  return { port, path: '/backend.Backend/Predict', message }
}

/** Processor time of a chat, µs. */
export async function costOfChat(
  { server, headers }: Side,
  { stream, ...options }: RoundOptions & { readonly stream: boolean },
): Promise<number> {
  const before = server.cpuSeconds()
  const { requests } = await runLoad({ ...options, url: server.url, path: CHAT_PATH, body: toChat(stream), headers })
  return ((server.cpuSeconds() - before) / requests) * 1e6
}

/**
 * All figures of a side in a round.
 *
 * @param direct latencies of direct calls of the backend in the same round
 */
export async function measureRound(side: Side, direct: PacedFigures, options: RoundOptions): Promise<RelayFigures> {
  const { seconds, pieces, signal } = options
  const chatUs = await costOfChat(side, { ...options, stream: false })
  const streamedUs = await costOfChat(side, { ...options, stream: true })
  const request = { url: side.server.url, path: CHAT_PATH, body: toChat(false), headers: side.headers }
  const { p50, p90 } = await paceRequests(request, { perSecond: PACE, seconds })
  signal.throwIfAborted()
  return {
    chatUs,
    eventUs: (streamedUs - chatUs) / pieces,
    addedP50Ms: p50 - direct.p50,
    addedP90Ms: p90 - direct.p90,
    ...(await measureStart(side, signal)),
    ...(await measureMemory(side, signal)),
  }
}

async function measureStart({ start, fresh, ...side }: Side, signal: AbortSignal): Promise<RelayFigures> {
  if (start === undefined) return {}
  const isServer = start === fresh
  const ask = (): Promise<void> => chat({ ...side, url: start.url })
  const times: StartTimes = await timeStart(start, isServer ? { ask, signal } : { signal })
  return { startMs: times.wallMs, startCpuMs: times.cpuMs, firstChatMs: times.askedMs }
}

/** Memory of a new process before and after its first chats, one after the other. */
async function measureMemory({ fresh, ...side }: Side, signal: AbortSignal): Promise<RelayFigures> {
  if (fresh === undefined) return {}
  const server = await startMeasured({ cpu: 0, ...fresh, signal })
  try {
    await sleep(IDLE_MS, undefined, { signal })
    const idleMib = readMemory(server.pid)
    for (let chats = 0; chats < CHATS; chats += 1) {
      signal.throwIfAborted()
      await chat({ ...side, url: server.url })
    }
    return { idleMib, usedMib: readMemory(server.pid) }
  } finally {
    await server.stop()
  }
}

async function chat({ name, headers, url }: Pick<Side, 'name' | 'headers'> & { readonly url: string }): Promise<void> {
  const reply = await fetch(`${url}${CHAT_PATH}`, { method: 'POST', headers, body: toChat(false) })
  const text = await reply.text()
  if (!text.includes('word')) throw new Error(`${name} answered ${reply.status} ${text.slice(0, 200)}`)
}

/** Resident memory, MiB. */
function readMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}
