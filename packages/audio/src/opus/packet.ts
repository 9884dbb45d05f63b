/** Milliseconds of a frame that the encoder makes. */
export const OPUS_FRAME_MS = 20

/** The longest packet, milliseconds. */
const MAX_PACKET_MS = 120

/** Milliseconds of a frame by the lowest two bits of its configuration, for each mode (RFC 6716, section 3.1). */
const SPEECH_MS = [10, 20, 40, 60] as const
const HYBRID_MS = [10, 20] as const
const MUSIC_MS = [2.5, 5, 10, 20] as const

/**
 * Reads how long the sound of a packet is, from its head.
 *
 * @returns milliseconds, 2.5..120; undefined for bytes that are not a packet
 */
export function readOpusDuration(packet: Uint8Array): number | undefined {
  const [head] = packet
  if (head === undefined) return undefined
  const frames = countFrames(head, packet)
  const duration = frames * readFrameMs(head >> 3)
  return duration > 0 && duration <= MAX_PACKET_MS ? duration : undefined
}

function countFrames(head: number, packet: Uint8Array): number {
  const code = head & 3
  if (code === 0) return 1
  if (code < 3) return 2
  return (packet[1] ?? 0) & 0x3f
}

function readFrameMs(configuration: number): number {
  if (configuration < 12) return SPEECH_MS[configuration & 3] ?? 0
  if (configuration < 16) return HYBRID_MS[configuration & 1] ?? 0
  return MUSIC_MS[configuration & 3] ?? 0
}
