import type { Encoder as OpusCodec } from '@evan/opus/wasm/index.mjs'
import { float32ToS16 } from '../samples/s16.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { createOggPages, type OggPages } from './ogg-pages.ts'

/** The rates that libopus takes. Decoders give 48,000 samples a second for each of them. */
export const OPUS_RATES = [8000, 12_000, 16_000, 24_000, 48_000] as const

const GRANULES_A_SECOND = 48_000
const FRAMES_A_SECOND = 50
const PACKET_GRANULES = GRANULES_A_SECOND / FRAMES_A_SECOND
/** A page is sent after this many packets of 20 ms: a player waits for whole pages. */
const PACKETS_A_PAGE = 10
const MIN_BIT_RATE = 6000
const MAX_BIT_RATE = 510_000
const DEFAULT_BITS_A_CHANNEL = 32_000
const SET_BIT_RATE = 4002
const GET_LOOKAHEAD = 4027
const VENDOR = 'svc'

/**
 * Encodes to Opus in an Ogg file (RFC 7845), with a variable bit rate around the given one. A decoder gives exactly as
 * many samples as were encoded: the header declares the delay of the encoder, the last page the end.
 */
export async function createOpusEncoder(options: EncoderOptions): Promise<Encoder> {
  const { Encoder: Codec } = await import('@evan/opus/wasm/index.mjs')
  const { sampleRate, channels, bitRate = DEFAULT_BITS_A_CHANNEL * channels } = options
  const codec = new Codec({ channels, sample_rate: sampleRate, application: 'audio' })
  codec.ctl(SET_BIT_RATE, Math.max(MIN_BIT_RATE, Math.min(MAX_BIT_RATE, bitRate)))
  const [serial = 0] = crypto.getRandomValues(new Uint32Array(1))
  return new OggOpusEncoder({ codec, sampleRate, channels, pages: createOggPages(serial) })
}

interface OggOpusOptions {
  readonly codec: OpusCodec
  readonly sampleRate: number
  readonly channels: 1 | 2
  readonly pages: OggPages
}

class OggOpusEncoder implements Encoder {
  readonly #codec: OpusCodec
  readonly #pages: OggPages
  readonly #channels: 1 | 2
  readonly #sampleRate: number
  readonly #preSkip: number
  /** Samples of one packet, partly filled. */
  readonly #frame: Float32Array
  #filled = 0
  #taken = 0
  #packets = 0
  #packetsOfPage = 0
  #isBegun = false
  #isClosed = false

  constructor({ codec, sampleRate, channels, pages }: OggOpusOptions) {
    this.#codec = codec
    this.#pages = pages
    this.#channels = channels
    this.#sampleRate = sampleRate
    this.#preSkip = Math.round((codec.ctl(GET_LOOKAHEAD) * GRANULES_A_SECOND) / sampleRate)
    this.#frame = new Float32Array((sampleRate / FRAMES_A_SECOND) * channels)
  }

  push(samples: Float32Array): readonly Uint8Array[] {
    const output = this.#begin()
    this.#taken += samples.length / this.#channels
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + this.#frame.length - this.#filled)
      this.#frame.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#frame.length) output.push(...this.#encodeFrame())
    }
    return output
  }

  end(): readonly Uint8Array[] {
    const output = this.#begin()
    const granule = this.#preSkip + (this.#taken * GRANULES_A_SECOND) / this.#sampleRate
    // At least one packet, because the last page needs one; as many as the delay of the encoder asks for.
    while (this.#packets === 0 || this.#packets * PACKET_GRANULES < granule) output.push(...this.#encodeFrame())
    output.push(this.#pages.flush(granule, { isLast: true }))
    return output
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#codec.drop()
  }

  #begin(): Uint8Array[] {
    if (this.#isBegun) return []
    this.#isBegun = true
    this.#pages.add(writeHead(this.#channels, this.#preSkip, this.#sampleRate))
    const head = this.#pages.flush(0)
    this.#pages.add(writeTags())
    return [head, this.#pages.flush(0)]
  }

  /** Encodes one packet, with silence for missing samples. A full page leaves only before a further packet. */
  #encodeFrame(): readonly Uint8Array[] {
    this.#frame.fill(0, this.#filled)
    this.#filled = 0
    const packet = this.#codec.encode(float32ToS16(this.#frame))
    const isFull = this.#packetsOfPage === PACKETS_A_PAGE || !this.#pages.hasRoom(packet.length)
    const full = isFull ? [this.#pages.flush(this.#packets * PACKET_GRANULES)] : []
    if (isFull) this.#packetsOfPage = 0
    this.#pages.add(packet)
    this.#packets++
    this.#packetsOfPage++
    return full
  }
}

function writeHead(channels: number, preSkip: number, sampleRate: number): Uint8Array {
  const head = new Uint8Array(19)
  const view = new DataView(head.buffer)
  head.set(new TextEncoder().encode('OpusHead'))
  view.setUint8(8, 1)
  view.setUint8(9, channels)
  view.setUint16(10, preSkip, true)
  view.setUint32(12, sampleRate, true)
  return head
}

function writeTags(): Uint8Array {
  const vendor = new TextEncoder().encode(VENDOR)
  const tags = new Uint8Array(16 + vendor.length)
  tags.set(new TextEncoder().encode('OpusTags'))
  new DataView(tags.buffer).setUint32(8, vendor.length, true)
  tags.set(vendor, 12)
  return tags
}
