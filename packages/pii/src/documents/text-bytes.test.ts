import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTextBytes } from './text-bytes.ts'

const joinBytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...Buffer.from(part as string)]))
const utf16le = (text: string) => [...Buffer.from(text, 'utf16le')]
const utf16be = (text: string) => [...Buffer.from(text, 'utf16le').swap16()]

/** Bytes with `sk-1` masked, as their reading encodes them. */
function masked(bytes: Uint8Array, charset?: string): number[] {
  const { text, encode } = readTextBytes(bytes, charset)
  return [...encode(text.replaceAll('sk-1', '[X]'))]
}

describe('bytes of text (PII-11)', () => {
  it.each<[string, Uint8Array, string | undefined, string]>([
    ['UTF-8', joinBytes('é my sk-1 🔑'), undefined, 'é my sk-1 🔑'],
    ['UTF-8 with its mark', joinBytes('\ufeffsk-1'), undefined, '\ufeffsk-1'],
    ['UTF-8 by name', joinBytes('é sk-1'), 'UTF-8', 'é sk-1'],
    ['UTF-8 with a byte that is none', joinBytes([0xff], 'my sk-1'), undefined, '\ufffdmy sk-1'],
    ['UTF-16 of low bytes first, by name', joinBytes(utf16le('é sk-1 🔑')), 'utf-16le', 'é sk-1 🔑'],
    ['UTF-16 of low bytes first, by its mark', joinBytes(utf16le('\ufeffé sk-1')), undefined, '\ufeffé sk-1'],
    ['UTF-16 of high bytes first, by name', joinBytes(utf16be('é sk-1 🔑')), 'utf-16be', 'é sk-1 🔑'],
    ['UTF-16 of high bytes first, by its mark', joinBytes(utf16be('\ufeffé sk-1')), 'utf-8', '\ufeffé sk-1'],
    ['UTF-16 without ASCII', joinBytes(utf16le('日本語')), 'UTF-16', '日本語'],
    ['ISO 8859-1', joinBytes([0xe9], ' sk-1'), 'ISO-8859-1', 'é sk-1'],
  ])('%s', (_, bytes, charset, text) => {
    const read = readTextBytes(bytes, charset)
    // When bytes also look like UTF-8, that reading follows.
    expect(read.text.split('\n\n')[0]).toBe(text)
    expect(read.isKnown).toBe(true)
    expect([...read.encode(read.text)]).toEqual(text.includes('\ufffd') ? [...joinBytes(text)] : [...bytes])
  })

  it('are written anew as they were', () => {
    expect(masked(joinBytes(utf16le('\ufeffé sk-1 🔑')))).toEqual(utf16le('\ufeffé [X] 🔑'))
    expect(masked(joinBytes(utf16be('é sk-1 🔑')), 'utf-16be')).toEqual(utf16be('é [X] 🔑'))
    expect(masked(joinBytes([0xe9], ' sk-1'), 'latin1')).toEqual([0xe9, ...Buffer.from(' [X]')])
    expect(masked(joinBytes('é sk-1'))).toEqual([...Buffer.from('é [X]')])
  })

  it('that look like another charset than they should have are read in both', () => {
    expect(masked(joinBytes(utf16le('my sk-1')), 'latin1')).toEqual(utf16le('my [X]'))
    for (const charset of ['utf-16le', 'utf-16be', 'utf-16']) {
      expect(masked(joinBytes('here is sk-1!!'), charset)).toEqual([...Buffer.from('here is [X]!!')])
    }
    expect(masked(joinBytes(utf16le('é sk-1')))).toEqual(utf16le('é [X]'))
    expect(masked(joinBytes(utf16be('é sk-1')))).toEqual(utf16be('é [X]'))
    expect(masked(joinBytes(utf16be('é sk-1')), 'utf-16le')).toEqual(utf16be('é [X]'))
    expect(masked(joinBytes([0xff, 0xfe], 'my sk-1 is this'))).toEqual([...Buffer.from('\ufffd\ufffdmy [X] is this')])
  })

  it('with several masked readings are not forwarded at all', () => {
    const bytes = joinBytes(utf16le('é sk-1'), 'and sk-1')
    expect(Buffer.from(masked(bytes)).toString()).toBe('[REDACTED]')
    expect(Buffer.from(masked(bytes, 'utf-16le')).toString()).toBe('[REDACTED]')
  })

  it('of an unknown charset show their ASCII, and are marked as unread', () => {
    const bytes = joinBytes([0x93, 0xfa, 0x96], ' sk-1 ', [0xff])
    const read = readTextBytes(bytes, 'shift_jis')
    expect([read.isKnown, read.text.includes(' sk-1 ')]).toEqual([false, true])
    expect(masked(bytes, 'shift_jis')).toEqual([0x93, 0xfa, 0x96, ...Buffer.from(' [X] '), 0xff])
    expect([...read.encode('\xff 東')]).toEqual([0xff, ...Buffer.from(' 東')])
    expect(readTextBytes(joinBytes([0xff, 0xfe, 0, 0], [...Buffer.from('s\0\0\0')])).isKnown).toBe(false)
    expect(readTextBytes(bytes, 'constructor').isKnown).toBe(false)
  })
})

it('any text comes back as the bytes it was, in any charset that can hold it', () => {
  const characters = fc.constantFrom('a', 'sk-1', ' ', 'é', '€', '東', '🔑', '\n', '\0')
  fc.assert(
    fc.property(
      fc.array(characters, { maxLength: 20 }),
      fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
      (parts, charset) => {
        const text = parts.join('')
        const encode = { 'utf-8': (one: string) => [...Buffer.from(one)], 'utf-16le': utf16le, 'utf-16be': utf16be }[
          charset
        ]
        const read = readTextBytes(Uint8Array.from(encode(text)), charset)
        expect(read.text === text || read.text.startsWith(`${text}\n\n`)).toBe(true)
        expect([...read.encode(read.text)]).toEqual(encode(text))
      },
    ),
    { numRuns: 1000 },
  )
})
