import { float32ToS16 } from '../samples/s16.ts'
import { OPUS_FRAME_MS } from './packet.ts'

const DEFAULT_BIT_RATE = 32_000
/** Of 0..10: half the work of the highest, and speech sounds the same. */
const DEFAULT_COMPLEXITY = 5
const SET_BIT_RATE = 4002
const SET_COMPLEXITY = 4010

/** Options of {@link createOpusFrameEncoder}. */
export interface OpusFrameEncoderOptions {
  readonly sampleRate: 16_000 | 24_000 | 48_000
  /** Bits a second, 6,000..510,000. @default 32000 */
  readonly bitRate?: number | undefined
  /** 0..10: how much work is done for the sound. @default 5 */
  readonly complexity?: number | undefined
}

/** Encodes one channel of live speech, frame by frame. */
export interface OpusFrameEncoder {
  /** Samples of a frame: 20 ms. */
  readonly frameSamples: number
  /** Encodes a frame of {@link frameSamples} samples, -1..1, to one packet. */
  encode(frame: Float32Array): Uint8Array
  /** Frees the encoder; a second time does nothing. It must not be used any more. */
  close(): void
}

/** Creates an encoder. */
export async function createOpusFrameEncoder({
  sampleRate,
  bitRate = DEFAULT_BIT_RATE,
  complexity = DEFAULT_COMPLEXITY,
}: OpusFrameEncoderOptions): Promise<OpusFrameEncoder> {
  const { Encoder } = await import('@evan/opus/wasm/index.mjs')
  const codec = new Encoder({ channels: 1, sample_rate: sampleRate, application: 'voip' })
  const frameSamples = (sampleRate * OPUS_FRAME_MS) / 1000
  let isClosed = false
  function close(): void {
    if (isClosed) return
    isClosed = true
    codec.drop()
  }
  try {
    codec.ctl(SET_BIT_RATE, bitRate)
    codec.ctl(SET_COMPLEXITY, complexity)
  } catch (error) {
    close()
    throw error
  }
  return {
    frameSamples,
    encode(frame) {
      if (isClosed) throw new Error('the encoder is closed')
      if (frame.length !== frameSamples) throw new RangeError(`a frame has ${frameSamples} samples`)
      return codec.encode(float32ToS16(frame))
    },
    close,
  }
}
