/**
 * Samples as numbers: conversions between formats, channels mixed, and rates changed.
 *
 * @module
 */
export { aLawToFloat32, float32ToALaw, float32ToMuLaw, muLawToFloat32 } from './g711.ts'
export { mixChannels } from './mix-channels.ts'
export { createResampler, MAX_RATE, MIN_RATE, type Resampler, type ResamplerOptions } from './resampler.ts'
export { float32ToS16, s16ToFloat32 } from './s16.ts'
