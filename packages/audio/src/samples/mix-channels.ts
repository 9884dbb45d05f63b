import { checkArgument } from '@svc/errors'
import { checkOptions, checkSamples } from '../check-entries.ts'

/**
 * Changes the number of channels of interleaved samples: many to one by their mean, one to many by repetition.
 *
 * @param options.from channels of `samples`, at least 1 @param options.to 1, or any number if `from` is 1 or the same
 * @returns the given samples if nothing changes, else new ones; an incomplete frame at the end is left out
 * @throws SvcError `invalid_argument` for other numbers
 */
export function mixChannels(
  samples: Float32Array,
  options: { readonly from: number; readonly to: number },
): Float32Array {
  checkSamples('mixChannels', samples)
  checkOptions('mixChannels', options)
  const { from, to } = options
  checkArgument(Number.isSafeInteger(from) && from >= 1, 'mixChannels: from', 'a positive integer', from)
  const isFit = Number.isSafeInteger(to) && to >= 1 && (to === 1 || from === 1 || to === from)
  checkArgument(isFit, 'mixChannels: to', '1 or the same as from', to)
  if (from === to) return samples
  return to === 1 ? toMean(samples, from) : repeat(samples, to)
}

function toMean(samples: Float32Array, channels: number): Float32Array {
  const mixed = new Float32Array(Math.floor(samples.length / channels))
  for (let frame = 0, at = 0; frame < mixed.length; frame++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, at++) sum += samples[at] ?? 0
    mixed[frame] = sum / channels
  }
  return mixed
}

function repeat(samples: Float32Array, channels: number): Float32Array {
  const repeated = new Float32Array(samples.length * channels)
  for (let frame = 0; frame < samples.length; frame++) {
    repeated.fill(samples[frame] ?? 0, frame * channels, (frame + 1) * channels)
  }
  return repeated
}
