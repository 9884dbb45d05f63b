import { OPUS_FRAME_MS } from '@svc/audio/opus'
import type { SentFacts } from './reports.ts'
import { STAMPS_A_MS, writeRtp } from './rtp-packet.ts'

const FRAME_STAMPS = OPUS_FRAME_MS * STAMPS_A_MS

/** Parts of {@link createRtpStream}. */
export interface RtpStreamOptions {
  readonly payloadType: number
  /** The number of the stream. */
  readonly source: number
  /** Where sequence numbers and time stamps begin, not to be guessed. */
  readonly firstSequence: number
  readonly firstTimestamp: number
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly send: (packet: Uint8Array) => void
}

/** A stream of frames of 20 ms that is sent. */
export interface RtpStream {
  /** Sends the next frame. The first one after silence gets the time stamp of now, and a mark. */
  send(payload: Uint8Array, frame: { readonly isFirst: boolean; readonly now: number }): void
  /** Facts for the report to the client. */
  report(now: number): SentFacts
}

/** Creates a stream. Silence takes its time in the time stamps, in whole frames. */
export function createRtpStream(options: RtpStreamOptions): RtpStream {
  const { payloadType, source } = options
  const epoch = options.now()
  const sent = { packets: 0, bytes: 0 }
  let sequence = options.firstSequence
  let stamp = -FRAME_STAMPS

  function nextStamp(isFirst: boolean, now: number): number {
    const following = stamp + FRAME_STAMPS
    return isFirst ? Math.max(following, Math.floor((now - epoch) / OPUS_FRAME_MS) * FRAME_STAMPS) : following
  }

  return {
    send(payload, { isFirst, now }) {
      stamp = nextStamp(isFirst, now)
      const timestamp = (options.firstTimestamp + stamp) >>> 0
      options.send(writeRtp({ payloadType, hasMarker: isFirst, sequence, timestamp, source, payload }))
      sequence = (sequence + 1) & 0xff_ff
      sent.packets++
      sent.bytes += payload.length
    },
    report: (now) => ({
      source,
      ...sent,
      timestamp: (options.firstTimestamp + Math.round((now - epoch) * STAMPS_A_MS)) >>> 0,
    }),
  }
}
