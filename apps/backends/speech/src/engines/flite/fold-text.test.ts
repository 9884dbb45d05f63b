import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldText, isSpeakable } from './fold-text.ts'

it.each([
  ['Café naïve, Straße', 'Cafe naive, Strasse'],
  ['“Well” – he said…', '"Well" ,  he said...'],
  ['Ａｂｃ １２３', 'Abc 123'],
  ['one\r\ntwo\u2028three', 'one\ntwo\nthree'],
  ['Hi 😀 мир', 'Hi      '],
  ['a\u0000b\tc', 'a b c'],
])('folds %j', (text, folded) => {
  expect(foldText(text)).toBe(folded)
})

it('folds many marks in a short time', () => {
  const marks = '\u0301'.repeat(25_000) + '\u0316'.repeat(25_000)
  const start = process.cpuUsage()
  expect(foldText(`e${marks}é`)).toBe('ee')
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(500)
})

it('cuts long words', () => {
  expect(foldText(`${'x'.repeat(250)} y`)).toBe(`${'x'.repeat(100)} ${'x'.repeat(100)} ${'x'.repeat(50)} y`)
})

it('knows what can be spoken', () => {
  expect(['мир', '...', '😀', '', 'é', '7'].map((text) => isSpeakable(foldText(text)))).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
  ])
})

it('gives printable ASCII with words of at most 100 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const folded = foldText(text)
      expect(folded).toMatch(/^[\x20-\x7e\n]*$/)
      for (const word of folded.split(/\s/)) expect(word.length).toBeLessThanOrEqual(100)
    }),
  )
})
