import { AudioError } from '../errors.ts'
import { createResampler, MAX_RATE, MIN_RATE, type Resampler } from '../samples/resampler.ts'
import type { DecodedPiece } from './decoded.ts'

/** Frames that are mixed and resampled at once. */
const FRAMES_AT_ONCE = 16 * 1024

/**
 * Mixes decoded pieces to one channel of one rate, in pieces that take a short time.
 *
 * @throws AudioError `bad_audio` for a rate that no recording has, and for a file without any sample
 */
export async function* toMono(pieces: AsyncIterable<DecodedPiece>, outputRate: number): AsyncGenerator<Float32Array> {
  let resampler: Resampler | undefined
  let inputRate = 0
  for await (const { sampleRate, channels } of pieces) {
    if (!(sampleRate >= MIN_RATE && sampleRate <= MAX_RATE)) {
      throw new AudioError('bad_audio', `the file has ${sampleRate} samples a second`)
    }
    if (resampler === undefined || sampleRate !== inputRate) {
      if (resampler !== undefined) yield resampler.end()
      inputRate = sampleRate
      resampler = createResampler({ inputRate, outputRate })
    }
    const frames = channels[0]?.length ?? 0
    for (let at = 0; at < frames; at += FRAMES_AT_ONCE) {
      yield resampler.push(mix(channels.map((channel) => channel.subarray(at, at + FRAMES_AT_ONCE))))
    }
  }
  if (resampler === undefined) throw new AudioError('bad_audio', 'nothing in the file can be decoded')
  yield resampler.end()
}

/** The mean of channels that lie apart. */
function mix(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0), ...others] = channels
  if (others.length === 0) return first
  const mixed = first.slice()
  for (const channel of others) {
    for (let frame = 0; frame < mixed.length; frame++) mixed[frame] = (mixed[frame] ?? 0) + (channel[frame] ?? 0)
  }
  for (let frame = 0; frame < mixed.length; frame++) mixed[frame] = (mixed[frame] ?? 0) / channels.length
  return mixed
}
