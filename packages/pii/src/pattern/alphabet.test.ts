import { expect, it } from 'vitest'
import { Alphabet } from './alphabet.ts'
import { type CodeSet, complement, contains, DIGIT, isWordCode, WORD } from './code-set.ts'

const sets: CodeSet[] = [
  DIGIT,
  WORD,
  complement(DIGIT),
  [0x61, 0x61],
  [0xe9, 0xe9, 0x1f511, 0x1f511],
  [0xc0, 0x2000],
  [],
]
const alphabet = new Alphabet(sets)

it('characters of one class are in the same sets', () => {
  const codes = [
    ...Array.from({ length: 0x2100 }, (_, code) => code),
    0xd83d,
    0xdd11,
    0xffff,
    0x10000,
    0x1f510,
    0x1f511,
    0x1f512,
    0x10ffff,
  ]
  const words = alphabet.wordFlags()
  for (const set of sets) {
    const flags = alphabet.toFlags(set)
    for (const code of codes) expect([code, flags[alphabet.toClass(code)]]).toEqual([code, contains(set, code) ? 1 : 0])
  }
  for (const code of codes) expect(words[alphabet.toClass(code)]).toBe(isWordCode(code) ? 1 : 0)
})

it('has few classes', () => {
  expect(alphabet.size).toBeLessThan(10)
})
