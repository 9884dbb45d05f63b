import { s16ToFloat32 } from '../samples/s16.ts'
import { OPUS_FRAME_MS, readOpusDuration } from './packet.ts'

/** The longest stretch of lost sound that is concealed, milliseconds. What follows is silence. */
const MAX_CONCEALED_MS = 120

/** Decodes the packets of one live stream to one channel. */
export interface OpusFrameDecoder {
  readonly sampleRate: 16_000 | 48_000
  /** Decodes the next packet. @returns samples, -1..1; undefined for a damaged packet, which is to be concealed */
  decode(packet: Uint8Array): Float32Array | undefined
  /** Makes up a frame of 20 ms for a lost one from the sound before it, and fades it out; silence after 120 ms. */
  conceal(): Float32Array
  /** Frees the decoder; a second time does nothing. It must not be used any more. */
  close(): void
}

/** Creates a decoder. */
export async function createOpusFrameDecoder({
  sampleRate,
}: {
  readonly sampleRate: 16_000 | 48_000
}): Promise<OpusFrameDecoder> {
  const { Decoder } = await import('@evan/opus/wasm/index.mjs')
  const codec = new Decoder({ channels: 1, sample_rate: sampleRate })
  const frame = (sampleRate * OPUS_FRAME_MS) / 1000
  let hasDecoded = false
  let isClosed = false
  /** What the codec made up for the losses in a row, and how much of it is given out. */
  let made: Float32Array | undefined
  let given = 0

  return {
    sampleRate,
    decode(packet) {
      if (isClosed || readOpusDuration(packet) === undefined) return undefined
      try {
        const samples = s16ToFloat32(codec.decode(packet))
        hasDecoded = true
        made = undefined
        given = 0
        return samples
      } catch {
        return undefined
      }
    },
    conceal() {
      if (isClosed || !hasDecoded || given * OPUS_FRAME_MS >= MAX_CONCEALED_MS) return new Float32Array(frame)
      made ??= s16ToFloat32(codec.decode(new Uint8Array(0)))
      const samples = new Float32Array(frame)
      samples.set(made.subarray(given * frame, (given + 1) * frame))
      given++
      return samples
    },
    close() {
      if (isClosed) return
      isClosed = true
      codec.drop()
    },
  }
}
