import type { RtpPacket } from '../rtp/rtp-packet.ts'

const START_WAIT_MS = 60
const MAX_WAIT_MS = 200
/** By how much a packet that came too late lengthens the wait, and a calm stretch shortens it. */
const STEP_MS = 20
const CALM_MS = 10_000
/** Packets that wait for one before them. */
const MAX_PACKETS = 100
/** A sequence number further away begins a new stream, if the next packet follows it. */
const MAX_JUMP = 1000
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
  const counts = { received: 0, lost: 0, late: 0, duplicates: 0 }
  /** The number that is to come out next, with its turns. */
  let next: number | undefined
  let highest = 0
  let waitMs = START_WAIT_MS
  let calmSince = 0
  /** The number that would confirm a new stream. */
  let suspected: number | undefined
  let hasRestarted = false

  function restart(sequence: number): number {
    if (next !== undefined) hasRestarted = true
    waiting.clear()
    givenUp.clear()
    suspected = undefined
    highest = sequence
    next = sequence
    return sequence
  }

  /** The number with its turns; undefined for a packet far away that nothing confirms. */
  function unwrap(sequence: number): number | undefined {
    if (next === undefined) return restart(sequence)
    const difference = ((sequence - highest) << 16) >> 16
    if (Math.abs(difference) <= MAX_JUMP) {
      suspected = undefined
      return highest + difference
    }
    if (suspected === sequence) return restart(sequence)
    suspected = (sequence + 1) & 0xff_ff
    return undefined
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
    for (let number = from; number < to; number++) givenUp.add(number)
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
      const number = unwrap(packet.sequence)
      if (number === undefined || next === undefined) return
      counts.received++
      if (number < next) addPast(number, now)
      else if (waiting.has(number)) counts.duplicates++
      else waiting.set(number, { packet, arrivedAt: now })
      highest = Math.max(highest, number)
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
      return { ...counts, highestSequence: highest, waitMs }
    },
  }
}
