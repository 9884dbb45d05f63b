import { expect, it } from 'vitest'
import { readLabelSet } from './labels.ts'

it.each([
  ['BIO', ['O', 'B-PER', 'I-PER'], ['outside', 'begin PER', 'inside PER']],
  ['BIOES', ['O', 'B-A', 'I-A', 'E-A', 'S-A'], ['outside', 'begin A', 'inside A', 'end A', 'single A']],
  ['BILOU', ['O', 'B-A', 'I-A', 'L-A', 'U-A'], ['outside', 'begin A', 'inside A', 'end A', 'single A']],
  ['BMES', ['O', 'B-A', 'M-A', 'E-A', 'S-A'], ['outside', 'begin A', 'inside A', 'end A', 'single A']],
  ['underscores', ['o', 'B_EMAIL', 'I_EMAIL'], ['outside', 'begin EMAIL', 'inside EMAIL']],
  ['groups alone', ['O', 'PER', 'private_email'], ['outside', 'plain PER', 'plain private_email']],
  ['groups that only look like positions', ['O', 'S-BAHN', 'E-MAIL'], ['outside', 'plain S-BAHN', 'plain E-MAIL']],
  [
    'a group beside positions',
    ['O', 'B-PER', 'MISC', 'B-E-MAIL'],
    ['outside', 'begin PER', 'plain MISC', 'begin E-MAIL'],
  ],
])('labels are read: %s', (_, names, expected) => {
  expect(readLabelSet(names).map(({ position, group }) => `${position} ${group}`.trim())).toEqual(expected)
})
