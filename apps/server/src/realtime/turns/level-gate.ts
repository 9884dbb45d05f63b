import { HEARD_RATE } from '../ports.ts'

/** Tells silence and steady noise from sound that may be speech, without a model. */
export interface LevelGate {
  hear(samples: Float32Array): void
  /** Position behind the last frame that stands out of the noise; 0 before the first. */
  readonly lastActive: number
  /** Position at which the present run of such frames began. A run ends with a fifth of a second without any. */
  readonly activeSince: number
}

const FRAME = HEARD_RATE / 50
/** Mean square of a frame that is silent whatever the noise is: -60 dB. */
const SILENCE = 1e-6
/** How far a frame stands out of the noise: 5 dB. */
const ABOVE_NOISE = 10 ** 0.5
/** The noise is the quietest frame of the last parts: some three seconds. */
const PARTS = 6
const PART_FRAMES = 25
const RUN_GAP = HEARD_RATE / 5

export function createLevelGate(): LevelGate {
  let position = 0
  let energy = 0
  let filled = 0
  let frames = 0
  let lastActive = 0
  let activeSince = 0
  /** The quietest frame of each part, the newest last. A session begins as if it had been silent. */
  let quietest: readonly number[] = [0]

  function endFrame(): void {
    const level = energy / FRAME
    energy = 0
    filled = 0
    const noise = Math.min(...quietest)
    if (level > SILENCE && level > noise * ABOVE_NOISE) {
      if (position - lastActive > RUN_GAP) activeSince = position - FRAME
      lastActive = position
    }
    frames += 1
    if (frames % PART_FRAMES === 0) quietest = [...quietest.slice(1 - PARTS), level]
    else quietest = [...quietest.slice(0, -1), Math.min(quietest.at(-1) ?? level, level)]
  }

  return {
    get lastActive() {
      return lastActive
    },
    get activeSince() {
      return activeSince
    },
    hear(samples) {
      for (const sample of samples) {
        energy += sample * sample
        filled += 1
        position += 1
        if (filled === FRAME) endFrame()
      }
    },
  }
}
