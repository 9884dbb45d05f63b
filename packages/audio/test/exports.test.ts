import * as audio from '@svc/audio'
import * as opus from '@svc/audio/opus'
import * as samples from '@svc/audio/samples'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(audio).sort()).toEqual([
    ...['AUDIO_FORMATS', 'AudioError', 'SNIFF_BYTES', 'createFfmpeg', 'decodeAudio', 'encodeAudio', 'encodeWavHeader'],
    ...['findEncodedRate', 'readWav', 'readWavHeader', 'sniffAudio'],
  ])
  expect(Object.keys(opus).sort()).toEqual([
    ...['OPUS_FRAME_MS', 'createOpusFrameDecoder', 'createOpusFrameEncoder', 'readOpusDuration'],
  ])
  expect(Object.keys(samples).sort()).toEqual([
    ...['MAX_RATE', 'MIN_RATE', 'aLawToFloat32', 'createResampler', 'float32ToALaw', 'float32ToMuLaw', 'float32ToS16'],
    ...['mixChannels', 'muLawToFloat32', 's16ToFloat32'],
  ])
})
