/** Lets what is above some 13 Hz pass. */
const DC_POLE = 0.995

/** Creates a filter that gives finite samples from -1 to 1 without a constant part. The input stays as it is. */
export function createSampleCleaner(): (samples: Float32Array) => Float32Array {
  let before = 0
  let output = 0
  return (samples) => {
    const cleaned = new Float32Array(samples.length)
    for (let index = 0; index < samples.length; index++) {
      const sample = samples[index] ?? 0
      const input = Number.isFinite(sample) ? Math.min(1, Math.max(-1, sample)) : 0
      output = input - before + DC_POLE * output
      before = input
      cleaned[index] = Math.min(1, Math.max(-1, output))
    }
    return cleaned
  }
}
