const MAX_SEGMENTS = 255
const HEADER_BYTES = 27
const CRC_OFFSET = 22
const FIRST_PAGE = 2
const LAST_PAGE = 4

/** CRC-32 with the polynomial 0x04C11DB7, neither reflected nor inverted. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc
})

/** Writes the pages of one logical stream in an Ogg file (RFC 3533). Packets are shorter than a page. */
export interface OggPages {
  /** Lacing values that more packets of this page may take. */
  hasRoom(packetBytes: number): boolean
  /** Adds a packet to the page under way. */
  add(packet: Uint8Array): void
  /** Ends the page under way. `granule` is the position at the end of its last packet, in the codec's units. */
  flush(granule: number, options?: { readonly isLast?: boolean }): Uint8Array
}

/** @param serial the number of the stream, which must differ between streams that are joined */
export function createOggPages(serial: number): OggPages {
  let packets: Uint8Array[] = []
  let segments: number[] = []
  let sequence = 0
  return {
    hasRoom: (packetBytes) => segments.length + Math.floor(packetBytes / 255) + 1 <= MAX_SEGMENTS,
    add(packet) {
      packets.push(packet)
      for (let left = packet.length; left >= 0; left -= 255) segments.push(Math.min(left, 255))
    },
    flush(granule, { isLast = false } = {}) {
      const flags = (sequence === 0 ? FIRST_PAGE : 0) | (isLast ? LAST_PAGE : 0)
      const page = writePage({ flags, granule, serial, sequence, segments, packets })
      sequence++
      packets = []
      segments = []
      return page
    },
  }
}

function writePage(page: {
  readonly flags: number
  readonly granule: number
  readonly serial: number
  readonly sequence: number
  readonly segments: readonly number[]
  readonly packets: readonly Uint8Array[]
}): Uint8Array {
  const { flags, granule, serial, sequence, segments, packets } = page
  const start = HEADER_BYTES + segments.length
  const bytes = new Uint8Array(start + packets.reduce((sum, packet) => sum + packet.length, 0))
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OggS'))
  view.setUint8(5, flags)
  view.setBigUint64(6, BigInt(granule), true)
  view.setUint32(14, serial, true)
  view.setUint32(18, sequence, true)
  view.setUint8(26, segments.length)
  bytes.set(segments, HEADER_BYTES)
  let at = start
  for (const packet of packets) {
    bytes.set(packet, at)
    at += packet.length
  }
  view.setUint32(CRC_OFFSET, checksum(bytes), true)
  return bytes
}

function checksum(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) crc = (crc << 8) ^ (CRC[(crc >>> 24) ^ byte] ?? 0)
  return crc >>> 0
}
