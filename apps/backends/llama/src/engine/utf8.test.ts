import { describe, expect, it } from 'vitest'
import { createTokenText, type Detokenize } from './utf8.ts'

/** A vocabulary of bytes: a token is a byte. */
const bytesToText: Detokenize<number> = (tokens) => Buffer.from(tokens).toString('utf8')

function decode(bytes: Iterable<number>): { pieces: string[]; rest: string } {
  const text = createTokenText(bytesToText, [])
  return { pieces: Array.from(bytes, (byte) => text.push(byte)), rest: text.flush() }
}

describe('token text', () => {
  it('gives out characters when their last byte came', () => {
    expect(decode(Buffer.from('aé€😀b'))).toEqual({
      pieces: ['a', '', 'é', '', '', '€', '', '', '', '😀', 'b'],
      rest: '',
    })
  })

  it('gives out an unfinished character at the end as unreadable', () => {
    expect(decode([0x61, 0xf0, 0x9f])).toEqual({ pieces: ['a', '', ''], rest: '\ufffd' })
  })

  it('gives out stray bytes as soon as something follows', () => {
    const { pieces, rest } = decode([0x80, 0x61, 0xff, 0xff, 0x62])
    expect(pieces.join('') + rest).toBe('\ufffda\ufffd\ufffdb')
  })

  it('keeps whole characters of a token that ends inside one', () => {
    const vocabulary = ['ab\xf0', '\x9f\x98', '\x80!']
    const text = createTokenText<number>(
      (tokens) => Buffer.from(tokens.map((token) => vocabulary[token]).join(''), 'latin1').toString('utf8'),
      [],
    )
    expect([text.push(0), text.push(1), text.push(2), text.flush()]).toEqual(['ab', '', '😀!', ''])
  })

  it('passes a replacement character of the model itself on', () => {
    const { pieces, rest } = decode(Buffer.from('a\ufffdb'))
    expect(pieces.join('') + rest).toBe('a\ufffdb')
  })

  it('adds up to the whole text for any bytes', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const bytes = Array.from({ length: 40 }, (_, index) => (seed * 7919 + index * index * 104_729) % 256)
      const { pieces, rest } = decode(bytes)
      expect(pieces.join('').length + rest.length).toBeGreaterThan(0)
      if (!endsForced(bytes)) expect(pieces.join('') + rest).toBe(bytesToText(bytes, []))
    }
  })

  it('asks for the text that continues the tokens before', () => {
    const contexts: (readonly number[])[] = []
    const text = createTokenText<number>(
      (tokens, context) => {
        contexts.push(context)
        return tokens.join('')
      },
      [1, 2, 3, 4],
    )
    text.push(5)
    text.push(6)
    expect(contexts).toEqual([
      [2, 3, 4],
      [3, 4, 5],
    ])
  })
})

/** Whether some run of bytes is long enough, without a whole character at its end, to be cut by force. */
function endsForced(bytes: readonly number[]): boolean {
  let run = 0
  for (const [index] of bytes.entries()) {
    run = bytesToText(bytes.slice(0, index + 1), []).endsWith('\ufffd') ? run + 1 : 0
    if (run >= 16) return true
  }
  return false
}
