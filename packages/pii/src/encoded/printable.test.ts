import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findPrintableTexts } from './printable.ts'

function findTexts(bytes: Uint8Array): string[] {
  return [...findPrintableTexts(bytes)].filter((text) => text !== undefined)
}

/** The same by the language's own decoder: every valid range of printed characters. */
function expectedTexts(bytes: Uint8Array): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const texts: string[] = []
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = start
    for (let width = 1; width <= 4 && end < bytes.length; width++) {
      try {
        const character = decoder.decode(bytes.subarray(end, end + width))
        if (/^[^\p{Cc}]$|^[\t\r\n]$/u.test(character)) {
          end += width
          width = 0
        }
      } catch {
        // More bytes may make a character.
      }
    }
    if (end - start >= 12) texts.push(decoder.decode(bytes.subarray(start, end)))
  }
  return texts
}

const character = fc.constantFrom(
  'a',
  'Z',
  '~',
  ' ',
  '\t',
  '\n',
  '\u007f',
  '\0',
  '\u0080',
  'é',
  '\u07ff',
  '\u0800',
  '€',
  '\uffff',
  '🔑',
)
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: character, maxLength: 30 }).map((text) => new TextEncoder().encode(text)) },
  fc.uint8Array({ maxLength: 5 }),
  fc.constantFrom(
    [0xc1, 0xbf],
    [0xe0, 0x9f, 0xbf],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x82],
  ),
)

it('ranges of printed characters are found in any bytes, cut at other characters', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const bytes = Uint8Array.from(pieces.flatMap((one) => [...one]))
      expect(findTexts(bytes)).toEqual(expectedTexts(bytes))
    }),
    { numRuns: 3000 },
  )
})

it('twelve bytes are enough, eleven are not', () => {
  const encode = (text: string) => new TextEncoder().encode(text)
  expect(findTexts(encode('\0elf bytes..\0twelve bytes\0'))).toEqual(['twelve bytes'])
})

it('long texts are found in steps', () => {
  const text = 'é words '.repeat(20_000)
  const bytes = new TextEncoder().encode(text)
  const steps = [...findPrintableTexts(bytes)]
  expect(steps.filter((step) => step !== undefined)).toEqual([text])
  expect(steps.length).toBeGreaterThan(10)
})

it('each byte is read a few times, for any content', () => {
  const looksAt = (bytes: readonly number[], length: number): number => {
    let looks = 0
    const counted = new Proxy(
      Uint8Array.from({ length }, (_, index) => bytes[index % bytes.length] ?? 0),
      {
        get(target, key) {
          if (key === 'length') return length
          looks += 1
          return Reflect.get(target, key)
        },
      },
    )
    const steps = [...findPrintableTexts(counted)]
    expect(steps.every((step) => step === undefined)).toBe(true)
    return looks
  }
  for (const bytes of [[0x80], [0xaa, 0xaa], [0xe2, 0x82], [0xc3, 0xa9, 0xa9], [0x61, 0], [0xf0, 0x9f, 0x94, 0xff]]) {
    expect([bytes, looksAt(bytes, 40_000) / 40_000]).toEqual([bytes, expect.toSatisfy((looks: number) => looks < 10)])
  }
  // Of other bytes few are read.
  expect(looksAt([0], 40_000) / 40_000).toBeLessThan(0.1)
})
