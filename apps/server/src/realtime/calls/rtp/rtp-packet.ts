const VERSION = 2
const HEAD_BYTES = 12
/** Payload types that are RTCP where both share a port (RFC 5761, section 4). */
const FIRST_CONTROL_TYPE = 64
const LAST_CONTROL_TYPE = 95

/** Units of the time stamps of Opus in a millisecond, at every rate (RFC 7587, section 4.1). */
export const STAMPS_A_MS = 48

/** A packet of media (RFC 3550, section 5.1). */
export interface RtpPacket {
  /** 0..127 */
  readonly payloadType: number
  /** Begins a stretch of sound. */
  readonly hasMarker: boolean
  /** 0..65535 */
  readonly sequence: number
  /** 0..2^32-1 */
  readonly timestamp: number
  /** Its stream, 0..2^32-1. */
  readonly source: number
  readonly payload: Uint8Array
}

/** Whether bytes of a media stream are control data and not media. */
export function isControl(bytes: Uint8Array): boolean {
  return !isMediaType((bytes[1] ?? 0) & 0x7f)
}

/** Whether media can have a type of payload: one of 0..127 that is not taken for control data. */
export function isMediaType(type: number): boolean {
  return type <= 127 && (type < FIRST_CONTROL_TYPE || type > LAST_CONTROL_TYPE)
}

/** Reads a packet. The payload shares the bytes. @returns undefined for bytes that are not one, or hold no payload */
export function readRtp(bytes: Uint8Array): RtpPacket | undefined {
  if (bytes.length <= HEAD_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = view.getUint8(0)
  if (flags >> 6 !== VERSION) return undefined
  const from = findPayload(view, flags)
  const to = (flags & 0x20) === 0 ? bytes.length : bytes.length - view.getUint8(bytes.length - 1)
  if (from === undefined || from >= to || to > bytes.length) return undefined
  const type = view.getUint8(1)
  return {
    payloadType: type & 0x7f,
    hasMarker: type >= 0x80,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    source: view.getUint32(8),
    payload: bytes.subarray(from, to),
  }
}

/** Where the payload begins: after the contributing sources and the extension of the head. */
function findPayload(view: DataView, flags: number): number | undefined {
  const sources = HEAD_BYTES + 4 * (flags & 0x0f)
  if ((flags & 0x10) === 0) return sources
  if (sources + 4 > view.byteLength) return undefined
  return sources + 4 + 4 * view.getUint16(sources + 2)
}

/** Writes a packet. */
export function writeRtp(packet: RtpPacket): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + packet.payload.length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, VERSION << 6)
  view.setUint8(1, packet.payloadType | (packet.hasMarker ? 0x80 : 0))
  view.setUint16(2, packet.sequence)
  view.setUint32(4, packet.timestamp)
  view.setUint32(8, packet.source)
  bytes.set(packet.payload, HEAD_BYTES)
  return bytes
}
