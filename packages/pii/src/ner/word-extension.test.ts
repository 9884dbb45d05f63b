import { describe, expect, it } from 'vitest'
import { shieldRanges } from './shield.ts'
import { endWithNextWord, startWithPreviousWord } from './word-extension.ts'
import { createWords } from './words.ts'

/** Extends the text between `<` and `>`; the text between `{` and `}` is protected. */
function extend(marked: string, side: 'next' | 'previous'): string {
  const text = marked.replaceAll(/[<>{}]/g, '')
  const findOffset = (mark: string) => marked.slice(0, marked.indexOf(mark)).replaceAll(/[<>{}]/g, '').length
  const ranges = marked.includes('{') ? [{ start: findOffset('{'), end: findOffset('}') }] : []
  const context = { text, words: createWords(text), isProtected: shieldRanges(text, ranges).isProtected }
  const span = { start: findOffset('<'), end: findOffset('>') }
  return side === 'next'
    ? text.slice(span.start, endWithNextWord(span, context))
    : text.slice(startWithPreviousWord(span, context), span.end)
}

describe('the next word', () => {
  it.each([
    ['<Ada> Byron King', 'Ada Byron'],
    ['<Ada>\t Byron', 'Ada\t Byron'],
    ['<Ada >Byron', 'Ada Byron'],
    ['<Ada>\nByron', 'Ada'],
    ['<Ada> \r\nByron', 'Ada'],
    ['<Ada>\u2028Byron', 'Ada'],
    ['<Ada>, Byron', 'Ada'],
    ['<Ada>. Byron', 'Ada'],
    ['<Ada>  ', 'Ada'],
    ['<Ada>', 'Ada'],
    ['<Ada> - Byron', 'Ada'],
    ["<Ada> O'Neil.", "Ada O'Neil"],
    ['<Ada> 42b', 'Ada 42b'],
    ['<Ada> 𝒜𝒷 c', 'Ada 𝒜𝒷'],
  ])('of %j gives %j', (marked, covered) => {
    expect(extend(marked, 'next')).toBe(covered)
  })

  it('is the one after the word that a detection ends in', () => {
    expect(extend('<Mül>ler Hans x', 'next')).toBe('Müller Hans')
    expect(extend("<Ada>'s Byron", 'next')).toBe("Ada's Byron")
    expect(extend('<Mül>ler, Hans', 'next')).toBe('Mül')
  })

  it('is not taken when it is protected', () => {
    expect(extend('<Ada> {Seerose} x', 'next')).toBe('Ada')
    expect(extend('<Ada> Byron {Seerose}', 'next')).toBe('Ada Byron')
  })
})

describe('the word before', () => {
  it.each([
    ['Dear Ada <Byron>', 'Ada Byron'],
    ['Anne-Marie \t<Byron>', 'Anne-Marie \tByron'],
    ["D'Arcy <Byron>", "D'Arcy Byron"],
    ['Jose\u0301 <Byron>', 'Jose\u0301 Byron'],
    ['unit 7b <Byron>', 'Byron'],
    ['J.R. <Byron>', 'Byron'],
    ['J.R <Byron>', 'Byron'],
    ['Hi, <Byron>', 'Byron'],
    ['- <Byron>', 'Byron'],
    ['Ada\n<Byron>', 'Byron'],
    ['<Byron>', 'Byron'],
  ])('of %j gives %j', (marked, covered) => {
    expect(extend(marked, 'previous')).toBe(covered)
  })

  it('is the one before the word that a detection begins in', () => {
    expect(extend('Hans Mül<ler>', 'previous')).toBe('Hans Müller')
    expect(extend('Hans 7<b>', 'previous')).toBe('b')
  })

  it('is not taken when it is protected', () => {
    expect(extend('{Seerose} <Byron>', 'previous')).toBe('Byron')
    expect(extend('{Seerose} Ada <Byron>', 'previous')).toBe('Ada Byron')
  })
})
