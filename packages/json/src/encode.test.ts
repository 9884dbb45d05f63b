import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeJsonString } from './encode.ts'

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

describe('encodeJsonString', () => {
  it('writes quotes, escapes and characters past ASCII as UTF-8', () => {
    expect(decode(encodeJsonString('a"b\\c\n\u0000é漢😀'))).toBe('"a\\"b\\\\c\\n\\u0000é漢😀"')
    expect(decode(encodeJsonString(''))).toBe('""')
  })

  it('replaces halves of surrogate pairs and nothing else', () => {
    expect(decode(encodeJsonString('a\ud800b\udc00'))).toBe('"a\ufffdb\ufffd"')
    expect(decode(encodeJsonString('\udc00\ud800'))).toBe('"\ufffd\ufffd"')
    expect(decode(encodeJsonString('\ud83d\ude00\\ud800'))).toBe('"\ud83d\ude00\\\\ud800"')
  })

  it('is read back by JSON.parse as the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(decode(encodeJsonString(text)))).toBe(text)
      }),
    )
  })
})
