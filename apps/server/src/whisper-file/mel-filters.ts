const SAMPLE_RATE = 16_000
/** Numbers of half a spectrum of 400 samples. */
export const SPECTRUM = 201
/** Below this frequency the scale is linear. */
const LINEAR_HZ = 1000
const LINEAR_MELS = 15
const LOG_STEP = Math.log(6.4) / 27

function toMel(hz: number): number {
  return hz < LINEAR_HZ ? (hz * LINEAR_MELS) / LINEAR_HZ : LINEAR_MELS + Math.log(hz / LINEAR_HZ) / LOG_STEP
}

function toHz(mel: number): number {
  return mel < LINEAR_MELS ? (mel * LINEAR_HZ) / LINEAR_MELS : LINEAR_HZ * Math.exp((mel - LINEAR_MELS) * LOG_STEP)
}

/** The bank of triangular filters on Slaney's mel scale through which Whisper hears: `bands` rows of {@link SPECTRUM}. */
export function makeMelFilters(bands: number): Float32Array {
  const highest = toMel(SAMPLE_RATE / 2)
  const corners = Array.from({ length: bands + 2 }, (_, index) => toHz((highest * index) / (bands + 1)))
  const filters = new Float32Array(bands * SPECTRUM)
  for (let band = 0; band < bands; band += 1) {
    const [low = 0, centre = 0, high = 0] = corners.slice(band, band + 3)
    for (let bin = 0; bin < SPECTRUM; bin += 1) {
      const hz = (bin * SAMPLE_RATE) / 2 / (SPECTRUM - 1)
      const weight = Math.max(0, Math.min((hz - low) / (centre - low), (high - hz) / (high - centre)))
      filters[band * SPECTRUM + bin] = (2 * weight) / (high - low)
    }
  }
  return filters
}
