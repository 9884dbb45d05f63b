import { randomBytes } from 'node:crypto'
import { createOpusFrameDecoder, createOpusFrameEncoder } from '@svc/audio/opus'
import type { Clock } from '../../../ports.ts'
import { HEARD_RATE, type Speaker } from '../../ports.ts'
import { type ReceivedFacts, readSenderClock, writeReport } from '../rtp/reports.ts'
import { isControl } from '../rtp/rtp-packet.ts'
import { createRtpStream } from '../rtp/rtp-stream.ts'
import type { OfferedSound } from '../sdp/read-offer.ts'
import { createListening } from './listening.ts'
import { createVoice, VOICE_RATE } from './voice.ts'

/** Time between two reports of what was sent and received. */
const REPORT_MS = 5000

/** The sound of a call, both ways. */
export interface CallMedia {
  /** The number of our stream. */
  readonly source: number
  /** Plays the voice of the model; absent for a client that only speaks. */
  readonly speaker: Speaker | undefined
  /** Takes a packet of media or control. */
  take(bytes: Uint8Array): void
  /** Sends what is due, and lets time go on: every 20 ms. */
  tick(now: number): void
  /** Frees the codecs; a second time does nothing. */
  close(): void
}

/** Parts of {@link createCallMedia}. */
export interface CallMediaOptions {
  readonly sound: OfferedSound
  /** The name of the sender in its reports. */
  readonly name: string
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Takes samples at {@link HEARD_RATE}. */
  readonly hear: (samples: Float32Array) => void
  readonly send: (bytes: Uint8Array) => void
}

/** Creates the sound of a call. The codec is loaded on first use. */
export async function createCallMedia({ sound, name, clock, hear, send }: CallMediaOptions): Promise<CallMedia> {
  const { payloadType, direction } = sound
  const now = (): number => clock.monotonic()
  const random = randomBytes(10)
  const source = random.readUInt32BE(0)
  const stream = createRtpStream({
    ...{ payloadType, source, now, send },
    ...{ firstSequence: random.readUInt16BE(4), firstTimestamp: random.readUInt32BE(6) },
  })
  const decoder = await createOpusFrameDecoder({ sampleRate: HEARD_RATE })
  const encoder = await createOpusFrameEncoder({ sampleRate: VOICE_RATE })
  const listening = createListening({ payloadType, decoder, hear })
  const voice = createVoice({ encoder, stream, now })
  let clockOfSender: { readonly clock: number; readonly at: number } | undefined
  let reportedAt = now()
  let isClosed = false

  function readLastReport(time: number): ReceivedFacts['lastReport'] {
    return clockOfSender && { clock: clockOfSender.clock, agoMs: time - clockOfSender.at }
  }

  function report(time: number): void {
    reportedAt = time
    const facts = listening.report()
    const received = facts && { ...facts, lastReport: readLastReport(time) }
    send(writeReport({ sent: stream.report(time), received, name, now: clock.now() }))
  }

  return {
    source,
    speaker: direction === 'sendonly' ? undefined : voice,
    take(bytes) {
      if (isClosed) return
      if (!isControl(bytes)) {
        if (direction !== 'recvonly') listening.take(bytes, now())
        return
      }
      const found = readSenderClock(bytes)
      if (found !== undefined) clockOfSender = { clock: found.clock, at: now() }
    },
    tick(time) {
      if (isClosed) return
      listening.tick(time)
      voice.tick(time)
      if (time - reportedAt >= REPORT_MS) report(time)
    },
    close() {
      if (isClosed) return
      isClosed = true
      voice.close()
      decoder.close()
      encoder.close()
    },
  }
}
