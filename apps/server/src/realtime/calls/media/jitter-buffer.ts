import type { RtpPacket } from '../rtp/rtp-packet.ts'
import { createSequence } from './sequence.ts'

const START_WAIT_MS = 60
const MAX_WAIT_MS = 200
/** By how much a packet that came too late lengthens the wait, and a calm stretch shortens it. */
const STEP_MS = 20
const CALM_MS = 10_000
/** Packets that wait for one before them. */
const MAX_PACKETS = 100
/** Numbers that are remembered as given up. */
const MAX_GIVEN_UP = 256

/** What comes out of the buffer, in order. */
export type Ordered =
  | { readonly type: 'packet'; readonly packet: RtpPacket }
  /** Packets that did not come in time before the next one. */
  | { readonly type: 'lost'; readonly count: number }
  /** The sender has begun to count anew. */
  | { readonly type: 'restart' }

/** Counts of a stream. */
export interface JitterFacts {
  readonly received: number
  readonly lost: number
  readonly late: number
  readonly duplicates: number
  /** The highest sequence number, with its turns of 2^16. */
  readonly highestSequence: number
  /** How long a missing packet is waited for, 60..200 ms. */
  readonly waitMs: number
}

/** Puts packets of one stream in order. Packets in order pass at once; a missing one is waited for. */
export interface JitterBuffer {
  /** @param now milliseconds of a clock that never goes back */
  add(packet: RtpPacket, now: number): void
  /** Takes what is in order, or what was waited for long enough. */
  take(now: number): readonly Ordered[]
  readonly facts: JitterFacts
}

interface Waiting {
  readonly packet: RtpPacket
  readonly arrivedAt: number
}

/** Creates a buffer. */
export function createJitterBuffer(): JitterBuffer {
  const waiting = new Map<number, Waiting>()
  const givenUp = new Set<number>()
  const sequence = createSequence()
  const counts = { received: 0, lost: 0, late: 0, duplicates: 0 }
  /** The number that is to come out next, with its turns. */
  let next: number | undefined
  let waitMs = START_WAIT_MS
  let calmSince = 0
  let hasRestarted = false

  function restart(number: number): void {
    hasRestarted = next !== undefined
    waiting.clear()
    givenUp.clear()
    next = number
  }

  function addPast(number: number, now: number): void {
    if (!givenUp.delete(number)) {
      counts.duplicates++
      return
    }
    counts.late++
    calmSince = now
    waitMs = Math.min(MAX_WAIT_MS, waitMs + STEP_MS)
  }

  function giveUp(from: number, to: number): Ordered {
    for (let number = Math.max(from, to - MAX_GIVEN_UP); number < to; number++) givenUp.add(number)
    for (const number of givenUp) {
      if (givenUp.size <= MAX_GIVEN_UP) break
      givenUp.delete(number)
    }
    counts.lost += to - from
    return { type: 'lost', count: to - from }
  }

  /** The lowest number that waits, when it need not wait any longer. */
  function findDue(now: number): number | undefined {
    if (waiting.size === 0) return undefined
    const oldest = Math.min(...[...waiting.values()].map(({ arrivedAt }) => arrivedAt))
    const isDue = now - oldest >= waitMs || waiting.size > MAX_PACKETS
    return isDue ? Math.min(...waiting.keys()) : undefined
  }

  return {
    add(packet, now) {
      const taken = sequence.take(packet.sequence)
      if (taken === undefined) return
      const { number, isNew } = taken
      if (isNew) restart(number)
      counts.received++
      if (next !== undefined && number < next) addPast(number, now)
      else if (waiting.has(number)) counts.duplicates++
      else waiting.set(number, { packet, arrivedAt: now })
    },
    take(now) {
      const ordered: Ordered[] = []
      if (hasRestarted) ordered.push({ type: 'restart' })
      hasRestarted = false
      if (now - calmSince >= CALM_MS) {
        calmSince = now
        waitMs = Math.max(START_WAIT_MS, waitMs - STEP_MS)
      }
      while (next !== undefined) {
        const found = waiting.get(next)
        if (found !== undefined) {
          waiting.delete(next)
          next++
          ordered.push({ type: 'packet', packet: found.packet })
          continue
        }
        const due = findDue(now)
        if (due === undefined) break
        ordered.push(giveUp(next, due))
        next = due
      }
      return ordered
    },
    get facts() {
      return { ...counts, highestSequence: sequence.highest, waitMs }
    },
  }
}
