import { correlate } from './fourier.ts'

/** Every fourth sample is enough to find a delay. */
const STEP = 4
/** Less likeness than this is chance. */
const LEAST_LIKENESS = 0.05

/**
 * Finds where a voice is in a sound.
 *
 * @param sound what was heard
 * @param voice what was played, from before the sound to behind it
 * @param earliest position of the first sample of the voice, counted from the first of the sound
 * @returns samples by which the voice is heard later than played, to a few samples; undefined where nothing is alike
 */
export function findDelay(
  sound: Float32Array,
  voice: Float32Array,
  { earliest }: { readonly earliest: number },
): number | undefined {
  const heard = thin(sound)
  const played = thin(voice)
  const energy = sumBefore(played)
  const total = sumBefore(heard).at(-1) ?? 0
  const { cross } = correlate(played, heard)
  let best = 0
  let place: number | undefined
  for (let shift = 0; shift <= played.length - heard.length; shift++) {
    const power = (energy[shift + heard.length] as number) - (energy[shift] as number)
    const likeness = Math.abs(cross[shift] as number) / Math.sqrt(power * total + 1e-9)
    if (likeness > best) {
      best = likeness
      place = shift
    }
  }
  if (place === undefined || best < LEAST_LIKENESS) return undefined
  return -(earliest + place * STEP)
}

/** Takes the mean of each four samples. */
function thin(samples: Float32Array): Float32Array {
  const thinned = new Float32Array(Math.floor(samples.length / STEP))
  for (let index = 0; index < thinned.length; index++) {
    let sum = 0
    for (let offset = 0; offset < STEP; offset++) sum += samples[index * STEP + offset] as number
    thinned[index] = sum / STEP
  }
  return thinned
}

/** Sums of squares before each sample. */
function sumBefore(samples: Float32Array): Float64Array {
  const sums = new Float64Array(samples.length + 1)
  for (let index = 0; index < samples.length; index++) {
    sums[index + 1] = (sums[index] as number) + (samples[index] as number) ** 2
  }
  return sums
}
