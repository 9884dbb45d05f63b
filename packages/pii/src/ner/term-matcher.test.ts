import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTerms } from './term-matcher.ts'

const find = (terms: string[], text: string) =>
  compileTerms(terms)
    ?.find(text, { start: 0, end: text.length })
    .map(({ start, end }) => text.slice(start, end))

describe('a protected term', () => {
  it.each([
    [['Hotel Seerose'], 'at HOTEL seerose now', ['HOTEL seerose']],
    [['Hotel Seerose'], 'Hotel\r\n\t Seerose', ['Hotel\r\n\t Seerose']],
    [['  Hotel \n Seerose '], 'Hotel Seerose', ['Hotel Seerose']],
    [['Hotel Seerose', 'Hotel Seerose Garni'], 'Hotel Seerose Garni', ['Hotel Seerose Garni']],
    [['Hotel Seerose', 'Hotel Seerose Garni'], 'Hotel Seerose Garnison', ['Hotel Seerose']],
    [['Seerose'], '(Seerose). Seerose', ['Seerose', 'Seerose']],
    [['strasse öl'], 'STRASSE ÖL', ['STRASSE ÖL']],
    [['ΟΔΟΣ'], 'οδος οδοσ', ['οδος', 'οδοσ']],
    [['𐐀𐐁𐐂'], '𐐨𐐩𐐪', ['𐐨𐐩𐐪']],
    [['C++'], 'in C++, C++x', ['C++']],
    [['GNU++'], 'in GNU++, GNU++', ['GNU++', 'GNU++']],
    [['Seerose'], 'Seerose. Then', ['Seerose']],
  ])('of %j is found in %j', (terms, text, found) => {
    expect(find(terms, text) ?? []).toEqual(found)
  })

  it.each(['Seerosen', 'Seerose-Garten', "Seerose's", 'Seerose.example', 'die.Seerose', 'Seerosé', '8Seerose'])(
    'is not part of %j',
    (text) => {
      expect(find(['Seerose'], text)).toEqual([])
    },
  )

  it('is ignored when shorter than three characters, however many code units they are', () => {
    expect(compileTerms(['Al', '  Al ', '', '𝒜𝒷'])).toBeUndefined()
    expect(find(['Alf', 'Al'], 'Al Alf')).toEqual(['Alf'])
  })

  it('is looked for within the span alone', () => {
    const text = 'Hotel\n\nSeerose'
    expect(compileTerms(['Hotel Seerose'])?.find(text, { start: 0, end: 5 })).toEqual([])
    expect(compileTerms(['Seerose'])?.find(text, { start: 7, end: 14 })).toEqual([{ start: 7, end: 14 }])
  })
})

it('a term between other words is found wherever it stands', () => {
  const words = fc.array(fc.constantFrom('Haus', 'Seerose', 'am', 'See', 'Seerosen'), { maxLength: 8 })
  fc.assert(
    fc.property(words, fc.constantFrom(' ', '\n', ', ', '\t\t'), (list, gap) => {
      const text = list.join(gap)
      expect(find(['seerose'], text)).toEqual(list.filter((word) => word === 'Seerose'))
    }),
  )
})
