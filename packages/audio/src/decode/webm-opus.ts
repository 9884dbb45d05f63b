import { ByteReader } from '../streams/byte-reader.ts'
import type { Decode } from './decoded.ts'
import { readMatroskaPackets } from './matroska-packets.ts'
import { createOpusDecoder, readOpusHead } from './opus-decoder.ts'

/** Packets that are decoded at once: a second in most files. */
const PACKETS_AT_ONCE = 50

/** Decodes the first track of Opus in a WebM or Matroska file. Other tracks are passed over. */
export const decodeWebmOpus: Decode = async function* (file, { sampleRate: wanted, signal }) {
  const reader = new ByteReader(file, signal)
  const { head, packets } = await readMatroskaPackets(reader, 'A_OPUS')
  const decoder = await createOpusDecoder(readOpusHead(head), wanted)
  const { sampleRate } = decoder
  try {
    let waiting: Uint8Array[] = []
    for await (const packet of packets) {
      waiting.push(packet)
      if (waiting.length < PACKETS_AT_ONCE) continue
      yield { sampleRate, channels: [decoder.decode(waiting)] }
      waiting = []
    }
    yield { sampleRate, channels: [decoder.decode(waiting)] }
  } finally {
    decoder.close()
    await reader.close()
  }
}
