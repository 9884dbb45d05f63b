import { OPUS_RATES } from '../encode/opus-encoder.ts'
import { AudioError } from '../errors.ts'
import { joinSamples } from '../samples/join-samples.ts'
import { s16ToFloat32 } from '../samples/s16.ts'
import { hasText } from '../sniff/ascii.ts'

/** Positions and delays of Opus are counted in these, whatever the rate. */
export const OPUS_CLOCK = 48_000
const HEAD_BYTES = 19
/** The longest packet of the codec: 120 ms of two channels at most, in frames of 1,275 bytes. */
const MAX_PACKET_BYTES = 61_440

/** The head of a stream (RFC 7845, section 5.1). */
export interface OpusHead {
  /** Samples at the beginning that are not heard, of {@link OPUS_CLOCK}. */
  readonly preSkip: number
}

/** Reads the head of a stream. @throws AudioError `bad_audio`; `unsupported_audio` for more than two channels */
export function readOpusHead(bytes: Uint8Array): OpusHead {
  if (bytes.length < HEAD_BYTES || !hasText(bytes, 0, 'OpusHead')) {
    throw new AudioError('bad_audio', 'the head of the Opus stream is damaged')
  }
  if (bytes[18] !== 0) throw new AudioError('unsupported_audio', 'Opus with more than two channels has no reader')
  return { preSkip: (bytes[10] ?? 0) + 256 * (bytes[11] ?? 0) }
}

/** Decodes packets of one stream to one channel. */
export interface OpusDecoder {
  readonly sampleRate: number
  /** Packets that are damaged are left out. */
  decode(packets: readonly Uint8Array[]): Float32Array
  /** Frees the decoder. It must not be used any more. */
  close(): void
}

/** Creates a decoder. Its rate is the wanted one where the codec has it. */
export async function createOpusDecoder({ preSkip }: OpusHead, wantedRate: number): Promise<OpusDecoder> {
  const { Decoder } = await import('@evan/opus/wasm/index.mjs')
  const sampleRate = OPUS_RATES.find((rate) => rate === wantedRate) ?? OPUS_CLOCK
  const codec = new Decoder({ channels: 1, sample_rate: sampleRate })
  let skip = Math.round((preSkip * sampleRate) / OPUS_CLOCK)
  return {
    sampleRate,
    decode(packets) {
      const samples = joinSamples(packets.flatMap((packet) => decodePacket(codec, packet)))
      const heard = samples.subarray(skip)
      skip = Math.max(0, skip - samples.length)
      return heard
    },
    close: () => codec.drop(),
  }
}

function decodePacket(codec: { decode(packet: Uint8Array): Uint8Array }, packet: Uint8Array): Float32Array[] {
  if (packet.length === 0 || packet.length > MAX_PACKET_BYTES) return []
  try {
    return [s16ToFloat32(codec.decode(packet))]
  } catch {
    return []
  }
}
