import * as audio from '@svc/audio'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(audio).sort()).toEqual([
    'AUDIO_FORMATS',
    'AudioError',
    'MAX_RATE',
    'MIN_RATE',
    'SNIFF_BYTES',
    'aLawToFloat32',
    'createFfmpeg',
    'createResampler',
    'encodeAudio',
    'encodeWavHeader',
    'findEncodedRate',
    'float32ToALaw',
    'float32ToMuLaw',
    'float32ToS16',
    'mixChannels',
    'muLawToFloat32',
    'readWav',
    'readWavHeader',
    's16ToFloat32',
    'sniffAudio',
  ])
})
