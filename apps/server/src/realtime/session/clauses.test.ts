import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClauses } from './clauses.ts'

function cut(...pieces: readonly string[]): string[] {
  const clauses = createClauses()
  return [...pieces.flatMap((piece) => clauses.push(piece)), ...clauses.end()]
}

describe('clauses of text that arrives in pieces', () => {
  it.each([
    ['sentences', ['Good mor', 'ning. How', ' are you? Fi', 'ne'], ['Good morning. ', 'How are you? ', 'Fine']],
    ['titles', ['Dr. Smith is here. Go'], ['Dr. Smith is here. ', 'Go']],
    ['numbers of a list', ['1. Take it. Go'], ['1. Take it. ', 'Go']],
    ['an early first clause', ['When the long day is over, we go'], ['When the long day is over, ', 'we go']],
    ['scripts without spaces', ['你好。再见！'], ['你好。', '再见！']],
    ['lines', ['one\ntwo'], ['one\n', 'two']],
    ['no text', [' ', '\n'], []],
  ])('end at %s', (_, pieces, expected) => {
    expect(cut(...pieces)).toEqual(expected)
  })

  it('cut a sentence that is too long at a space, and no character in two', () => {
    const long = cut(`${'word '.repeat(100)}.`)
    expect(Math.max(...long.map(({ length }) => length))).toBeLessThanOrEqual(301)
    expect(cut('😀'.repeat(400)).every((clause) => !/[\uD800-\uDBFF]$/.test(clause))).toBe(true)
  })

  it('take little time of a long text without a mark', () => {
    const startedAt = process.cpuUsage()
    const clauses = cut('word '.repeat(200_000))
    expect(clauses.length).toBeGreaterThan(3000)
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(1000)
  })

  it('lose no word, however the text is cut', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('. ', ', ', '? ', 'word', '\n'))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '')
        expect(withoutSpace(cut(...pieces).join(''))).toBe(withoutSpace(pieces.join('')))
      }),
      { numRuns: 200 },
    )
  })
})
