import { expect, it } from 'vitest'
import { nameSpeakers, writeRttm } from './format.ts'

const turn = (label: string, start: number, end: number) => ({ label, start, end, text: '' })

// verifies diarization:speakers:first-seen
it('speakers are numbered as they are first heard, and one without a name is speaker 0', () => {
  const turns = [turn('bob', 0, 1), turn('', 1, 2), turn('bob', 2, 3), turn('0', 3, 4), turn('amy', 4, 5)]
  expect(nameSpeakers(turns).map(({ speaker }) => speaker)).toEqual([
    'SPEAKER_00',
    'SPEAKER_01',
    'SPEAKER_00',
    'SPEAKER_01',
    'SPEAKER_02',
  ])
})

it.each([
  ['talk.wav', 'talk'],
  ['../../a b.mp3', 'a_b'],
  ['C:\\calls\\ünïcode.m4a', 'ünïcode'],
  ['.wav', 'audio'],
  ['', 'audio'],
  ['two\nlines.wav', 'two_lines'],
])('rttm of %j has the name %s', (filename, name) => {
  expect(writeRttm(nameSpeakers([turn('x', 0.5, 1.75)]), filename)).toBe(
    `SPEAKER ${name} 1 0.500 1.250 <NA> <NA> SPEAKER_00 <NA> <NA>\n`,
  )
})
