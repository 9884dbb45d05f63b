import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MAX_QUOTE_BYTES, quoteUpstream, redact } from './quote.ts'

const encoder = new TextEncoder()

it('is one line without control characters', () => {
  expect(quoteUpstream('a\r\n b\u0000\u2028c\t')).toBe('a  b c')
})

it('blots out the key that the upstream was called with, cut or not', () => {
  expect(quoteUpstream('wrong key: sk-123, sk-123', ['sk-123'])).toBe('wrong key: [key], [key]')
  expect(quoteUpstream(`${'x'.repeat(497)}sk-123`, ['sk-123'])).not.toContain('sk')
  expect(redact('a', [''])).toBe('a')
})

it('reads bytes that are no UTF-8', () => {
  expect(quoteUpstream(Uint8Array.of(0x61, 0xff, 0x62))).toBe('a\uFFFDb')
})

it('is at most 500 bytes of valid UTF-8, a beginning of the text', () => {
  const unit = fc.constantFrom('a', 'é', '世', '🎉', '\ud83c', '\udf89')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 700 }), (said) => {
      const quoted = quoteUpstream(said)
      const bytes = encoder.encode(quoted)
      expect(bytes.length).toBeLessThanOrEqual(MAX_QUOTE_BYTES)
      expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toBe(quoted)
      const whole = new TextDecoder().decode(encoder.encode(said))
      expect(whole.startsWith(quoted)).toBe(true)
      if (encoder.encode(whole).length <= MAX_QUOTE_BYTES) expect(quoted).toBe(whole)
    }),
  )
})
