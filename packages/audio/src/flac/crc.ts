/** Tables of the two checksums of FLAC, by the next byte. */
export const CRC8 = Uint8Array.from({ length: 256 }, (_, byte) => runCrc(byte, 0x80, 0x07))
export const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => runCrc(byte << 8, 0x8000, 0x8005))

function runCrc(start: number, highest: number, polynomial: number): number {
  let crc = start
  for (let bit = 0; bit < 8; bit++) crc = crc & highest ? (crc << 1) ^ polynomial : crc << 1
  return crc & (highest * 2 - 1)
}
