import { readFileSync } from 'node:fs'

/** Sample rate of all generated sound. */
export const SAMPLE_RATE = 16_000

/** A tone as 16-bit little-endian mono PCM. */
export function makeTone(seconds: number, frequency = 440): Buffer {
  const samples = Math.round(seconds * SAMPLE_RATE)
  const pcm = Buffer.alloc(samples * 2)
  for (let index = 0; index < samples; index += 1) {
    const level = Math.sin((2 * Math.PI * frequency * index) / SAMPLE_RATE)
    pcm.writeInt16LE(Math.round(level * 0.5 * 32_767), index * 2)
  }
  return pcm
}

/** A WAV file of mono PCM. */
export function encodeWav(pcm: Buffer): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + pcm.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLE_RATE, 24)
  header.writeUInt32LE(SAMPLE_RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(pcm.length, 40)
  return Buffer.concat([header, pcm])
}

/** Length of an audio file in seconds: exact for a plain WAV, one second for anything else. */
export function readAudioSeconds(path: string): number {
  const bytes = readFileSync(path)
  if (bytes.length < 44 || bytes.toString('latin1', 0, 4) !== 'RIFF') return 1
  const bytesPerSecond = bytes.readUInt32LE(28)
  return bytesPerSecond > 0 ? (bytes.length - 44) / bytesPerSecond : 1
}
