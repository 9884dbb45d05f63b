import { HEARD_RATE, type TurnTakerParts } from '../ports.ts'

type DetectSpeech = TurnTakerParts['detectSpeech']

/** Sound of a tenth of a second for each sign: `#` is speech, `,` a noise that is none, anything else silence. */
export function toSound(signs: string): Float32Array {
  const part = HEARD_RATE / 10
  return Float32Array.from({ length: signs.length * part }, (_, index) => {
    const sign = signs[Math.floor(index / part)]
    if (sign === '#') return Math.sin((2 * Math.PI * 200 * index) / HEARD_RATE) / 2
    return sign === ',' ? Math.sin((2 * Math.PI * 200 * index) / HEARD_RATE) / 50 : 0
  })
}

const FRAME = HEARD_RATE / 50
const LEAST_SPEECH = 0.2
const LEAST_PAUSE = 0.3

/** Finds loud stretches as detectors find speech: an end of 0 says that it goes on. */
export const detectLoud: DetectSpeech = async (samples) => {
  const found: { start: number; end: number }[] = []
  const seconds = samples.length / HEARD_RATE
  let start: number | undefined
  let end = 0
  for (let from = 0; from < samples.length; from += FRAME) {
    const time = from / HEARD_RATE
    if (samples.subarray(from, from + FRAME).some((sample) => Math.abs(sample) > 0.2)) {
      start ??= time
      end = time + FRAME / HEARD_RATE
    } else if (start !== undefined && time - end >= LEAST_PAUSE) {
      if (end - start >= LEAST_SPEECH) found.push({ start, end })
      start = undefined
    }
  }
  if (start !== undefined && Math.min(end, seconds) - start >= LEAST_SPEECH) found.push({ start, end: 0 })
  return found
}
