import { afterEach, expect, it, vi } from 'vitest'
import { createLiveSound, type SoundOutput } from './live-sound.ts'
import { readWavHead } from './wav.ts'

const RATE = 8000

/** A WAV file as servers stream it: without lengths. */
function streamWav(samples: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(44 + samples.length * 2)
  bytes.write('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1')
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(RATE, 24)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data\xff\xff\xff\xff', 36, 'latin1')
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, 44 + index * 2)
  return bytes
}

interface Played {
  readonly at: number
  readonly samples: number[]
}

/** An output that notes what is played, and ends each piece when it is told to. */
function createOutput() {
  const played: Played[] = []
  const sources: { onended: (() => void) | null }[] = []
  const output = {
    currentTime: 1,
    destination: {},
    close: vi.fn(async () => {}),
    resume: async () => {},
    createBuffer: (_: number, length: number, rate: number) => ({
      length,
      duration: length / rate,
      samples: [] as number[],
      copyToChannel(data: Float32Array) {
        this.samples = [...data]
      },
    }),
    createBufferSource() {
      const source = {
        buffer: { samples: [] as number[] },
        onended: null,
        connect() {},
        start: (at: number) => played.push({ at, samples: source.buffer.samples }),
      }
      sources.push(source)
      return source
    },
  }
  return { played, sources, output: output as unknown as SoundOutput, close: output.close }
}

afterEach(() => vi.restoreAllMocks())

const SAMPLES = Array.from({ length: RATE }, (_, index) => index * 4 - 16_000)

it.each([1, 7, 1000, 99_999])('plays every sample once and in order, in pieces of %d bytes', async (size) => {
  const { played, sources, output } = createOutput()
  const sound = createLiveSound(output)
  const bytes = streamWav(SAMPLES)
  for (let at = 0; at < bytes.length; at += size) sound.push(bytes.subarray(at, at + size))
  const end = sound.finish()
  for (const source of sources) source.onended?.()
  await end
  expect(played.flatMap(({ samples }) => samples)).toEqual(SAMPLES.map((sample) => sample / 32_768))
  // each piece begins where the one before ends
  for (const [index, { at }] of played.entries()) {
    const before = played[index - 1]
    if (before !== undefined) expect(at).toBeCloseTo(before.at + before.samples.length / RATE)
  }
  const file = new Uint8Array(await sound.toFile().arrayBuffer())
  expect(file.length).toBe(44 + SAMPLES.length * 2)
  expect(Buffer.from(file).readUInt32LE(40)).toBe(SAMPLES.length * 2)
  expect(readWavHead(file)).toEqual({ sampleRate: RATE, channels: 1, offset: 44 })
})

it('falls silent when it is closed, and lets the end go on', async () => {
  const { played, output, close } = createOutput()
  const sound = createLiveSound(output)
  sound.push(streamWav(SAMPLES))
  const pieces = played.length
  sound.close()
  sound.close()
  sound.push(new Uint8Array(10_000))
  await sound.finish()
  expect(played).toHaveLength(pieces)
  expect(close).toHaveBeenCalledOnce()
})

it('refuses other files', () => {
  const { output } = createOutput()
  expect(() => createLiveSound(output).push(Buffer.from('OggS and more that follows'))).toThrow('not a WAV file')
  expect(() => createLiveSound(output).toFile()).toThrow('not a WAV file')
  const eight = Buffer.from(streamWav([1, 2]))
  eight.writeUInt16LE(8, 34)
  expect(() => createLiveSound(output).push(eight)).toThrow('no 16-bit samples')
})

it.each([4_000_000_000, 96_001, 7999])('refuses a rate of %d, which no browser plays', (rate) => {
  const { output, played } = createOutput()
  const bytes = Buffer.from(streamWav(SAMPLES))
  bytes.writeUInt32LE(rate, 24)
  expect(() => createLiveSound(output).push(bytes)).toThrow(/samples a second in 1 channels cannot be played/)
  expect(played).toEqual([])
})

it('refuses more channels than browsers play', () => {
  const bytes = Buffer.from(streamWav(SAMPLES))
  bytes.writeUInt16LE(33, 22)
  expect(() => createLiveSound(createOutput().output).push(bytes)).toThrow('in 33 channels')
})
