import { OPUS_FRAME_MS, type OpusFrameDecoder, readOpusDuration } from '@svc/audio/opus'
import type { ReceivedFacts } from '../rtp/reports.ts'
import { type RtpPacket, readRtp, STAMPS_A_MS } from '../rtp/rtp-packet.ts'
import { createJitterBuffer, type JitterBuffer, type Ordered } from './jitter-buffer.ts'

/** Silence takes the place of a sender that has been quiet for this long, so that time goes on. */
const QUIET_MS = 250
/** By how much more sound may come than time has passed: more is dropped. */
const MAX_AHEAD_MS = 1000
/** Sound of the past that may still come: older time stays silent. */
const MAX_HELD_BACK_MS = 4000

/** Hears the voice of the client: packets in, samples out. */
export interface Listening {
  /** Takes a packet of media. @param now milliseconds of a clock that never goes back */
  take(bytes: Uint8Array, now: number): void
  /** Lets time go on: every 20 ms. */
  tick(now: number): void
  /** Facts for the report to the sender; undefined before the first packet. The share of losses is since the last one. */
  report(): Omit<ReceivedFacts, 'lastReport'> | undefined
}

/** Parts of {@link createListening}. */
export interface ListeningOptions {
  /** Packets of other types are dropped. */
  readonly payloadType: number
  readonly decoder: OpusFrameDecoder
  /** Takes samples in order, in real time. */
  readonly hear: (samples: Float32Array) => void
}

/** Creates the ear of a call. */
export function createListening({ payloadType, decoder, hear }: ListeningOptions): Listening {
  const samplesAMs = decoder.sampleRate / 1000
  let received = createReceived()
  let source: number | undefined
  let startedAt = 0
  let lastPacketAt = 0
  /** When silence was last filled in; the silence since the last packet. */
  let filledAt = 0
  let filledMs = 0
  let heardMs = 0
  let nextTimestamp: number | undefined
  let lost = 0

  function give(samples: Float32Array): void {
    if (samples.length > 0) hear(samples)
  }

  function giveSilence(ms: number): void {
    give(new Float32Array(Math.round(ms * samplesAMs)))
  }

  /** Makes up for losses and silence before a packet, as far as time has passed. */
  function fillGap(timestamp: number, roomMs: number): void {
    const gapMs = nextTimestamp === undefined ? 0 : ((timestamp - nextTimestamp) | 0) / STAMPS_A_MS
    let missingMs = Math.max(0, Math.min(roomMs, gapMs - filledMs))
    for (; lost > 0 && missingMs >= OPUS_FRAME_MS; lost--) {
      give(decoder.conceal())
      missingMs -= OPUS_FRAME_MS
      heardMs += OPUS_FRAME_MS
    }
    if (missingMs >= 1) {
      giveSilence(missingMs)
      heardMs += missingMs
    }
    lost = 0
    filledMs = 0
  }

  function decode({ timestamp, payload }: RtpPacket, now: number): void {
    const duration = readOpusDuration(payload)
    if (duration === undefined) return
    heardMs = Math.max(heardMs, now - startedAt - MAX_HELD_BACK_MS)
    const roomMs = now - startedAt + MAX_AHEAD_MS - heardMs - duration
    if (roomMs < 0) return
    fillGap(timestamp, roomMs)
    give(decoder.decode(payload) ?? decoder.conceal())
    heardMs += duration
    nextTimestamp = (timestamp + duration * STAMPS_A_MS) >>> 0
  }

  function drain(ordered: readonly Ordered[], now: number): void {
    for (const each of ordered) {
      if (each.type === 'packet') decode(each.packet, now)
      else if (each.type === 'lost') lost += each.count
      else nextTimestamp = undefined
    }
  }

  function begin(packet: RtpPacket, now: number): void {
    if (source === undefined) startedAt = now
    source = packet.source
    // Each stream counts its packets and its time for itself.
    nextTimestamp = undefined
    lost = 0
    received = createReceived()
  }

  return {
    take(bytes, now) {
      const packet = readRtp(bytes)
      if (packet === undefined || packet.payloadType !== payloadType) return
      // A second stream counts only once the first one is quiet.
      if (packet.source !== source && source !== undefined && now - lastPacketAt < QUIET_MS) return
      if (packet.source !== source) begin(packet, now)
      lastPacketAt = now
      received.add(packet, now)
      drain(received.take(now), now)
    },
    tick(now) {
      if (source === undefined) return
      drain(received.take(now), now)
      if (now - lastPacketAt < QUIET_MS) return
      const ms = Math.floor(now - Math.max(filledAt, lastPacketAt))
      if (ms < OPUS_FRAME_MS) return
      giveSilence(ms)
      filledMs += ms
      filledAt = now
    },
    report() {
      if (source === undefined) return undefined
      return { source, ...received.report() }
    },
  }
}

/** The packets of one stream, in order, and what a report says about them. */
function createReceived() {
  const buffer = createJitterBuffer()
  const arrivals = createArrivals()
  const losses = createLosses(buffer)
  return {
    add(packet: RtpPacket, now: number): void {
      arrivals.add(packet.timestamp, now)
      buffer.add(packet, now)
    },
    take: buffer.take,
    report: () => ({ jitter: arrivals.jitter, ...losses.take() }),
  }
}

/** Measures how much the times of arrival vary (RFC 3550, section 6.4.1). */
function createArrivals() {
  let lastTransit: number | undefined
  let jitter = 0
  return {
    add(timestamp: number, now: number): void {
      const transit = (now * STAMPS_A_MS - timestamp) | 0
      if (lastTransit !== undefined) jitter += (Math.abs((transit - lastTransit) | 0) - jitter) / 16
      lastTransit = transit
    },
    get jitter(): number {
      return Math.min(0xff_ff_ff_ff, Math.floor(jitter))
    },
  }
}

/** Counts what was lost since the last report, and before. */
function createLosses(buffer: Pick<JitterBuffer, 'facts'>) {
  let reported = { received: 0, lost: 0 }
  return {
    take() {
      const { received, lost, highestSequence } = buffer.facts
      const lostSince = lost - reported.lost
      const all = received - reported.received + lostSince
      reported = { received, lost }
      return { lost, highestSequence, lostShare: all === 0 ? 0 : lostSince / all }
    },
  }
}
