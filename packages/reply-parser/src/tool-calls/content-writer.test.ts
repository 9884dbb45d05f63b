import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createContentWriter } from './content-writer.ts'

/** The output for texts; `null` is a call. */
function write(parts: readonly (string | null)[]): string {
  let said = ''
  const writer = createContentWriter((text) => {
    said += text
  })
  for (const part of parts) part === null ? writer.skipCall() : writer.write(part)
  writer.finish()
  return said
}

describe('createContentWriter', () => {
  it('says text without calls exactly', () => {
    const part = fc.string({ unit: fc.constantFrom(' ', '\n', ',', 'a', '\u00a0') })
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(write(parts)).toBe(parts.join(''))
      }),
    )
  })

  it('says the same however the text comes', () => {
    const part = fc.option(fc.string({ unit: fc.constantFrom(' ', '\n', ',', ';', 'a') }))
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(write(parts.flatMap((text) => (text === null ? [null] : text.split(''))))).toBe(write(parts))
      }),
    )
  })

  it.each<[(string | null)[], string]>([
    [['One.\n\n', null, '\n\nTwo.'], 'One.\n\nTwo.'],
    [['One.', null, ' Two.'], 'One. Two.'],
    [['One.\n', null, '\n', null, 'Two.'], 'One.\nTwo.'],
    [['One.', null, 'Two.'], 'One.Two.'],
    [['\n', null, '\n', null, '\n'], ''],
    [[' ', null, ' Two. '], 'Two. '],
    [['One. ', null], 'One.'],
    [[null, ', ', null, ';'], ''],
    [[null, ', and ', null], ', and'],
    [[null, ', ', ', '], ', , '],
    [['  '], '  '],
  ])('says of %j %j', (parts, said) => {
    expect(write(parts)).toBe(said)
  })
})
