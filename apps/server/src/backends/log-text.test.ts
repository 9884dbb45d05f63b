import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutToBytes, escapeControls, toPublicReason } from './log-text.ts'

describe('escapeControls', () => {
  it('writes characters that control a terminal or forge a line as text', () => {
    expect(escapeControls('\u001b[31mred\u0007 a\u2028b \u202egpj\u0000\u009b')).toBe(
      '\\x1b[31mred\\x07 a\\u2028b \\u202egpj\\x00\\x9b',
    )
  })

  it('leaves tabs and every printable character alone', () => {
    expect(escapeControls('\tgrün 模型 🙂')).toBe('\tgrün 模型 🙂')
  })

  it('never leaves a control character but the tab', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeControls(text)).not.toMatch(/(?!\t)[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u)
      }),
      { numRuns: 50 },
    )
  })
})

describe('cutToBytes', () => {
  it('never splits a character', () => {
    expect(cutToBytes('aé🙂', 3)).toBe('aé')
    expect(cutToBytes('aé🙂', 6)).toBe('aé')
    expect(cutToBytes('aé🙂', 7)).toBe('aé🙂')
  })

  it('gives the longest beginning that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, maxBytes) => {
        const cut = cutToBytes(text, maxBytes)
        expect(text.startsWith(cut)).toBe(true)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
        const next = [...text.slice(cut.length)][0]
        if (next !== undefined) expect(Buffer.byteLength(cut + next)).toBeGreaterThan(maxBytes)
      }),
    )
  })
})

describe('toPublicReason', () => {
  it('keeps of an absolute path only its last segment', () => {
    expect(toPublicReason("cannot open '/srv/models/a b/c.gguf': no such file")).toBe(
      "cannot open 'a b/c.gguf': no such file",
    )
    expect(toPublicReason('Error: /var/lib/svc/backends/x/run.sh: not found')).toBe('Error: run.sh: not found')
    expect(toPublicReason('at file:///home/me/app/main.mjs:3:7')).toBe('at main.mjs:3:7')
  })

  it('leaves addresses, fractions and relative names alone', () => {
    const text = 'http://localhost:80/v1/models 3/4 of models/demo.gguf'
    expect(toPublicReason(text)).toBe(text)
  })

  it('makes one line of at most 300 characters', () => {
    expect(toPublicReason('  first\n\tsecond\r\n')).toBe('first second')
    expect(toPublicReason('\u001b[1mbold')).toBe('\\x1b[1mbold')
    expect(toPublicReason('x'.repeat(5000))).toBe(`${'x'.repeat(299)}…`)
  })
})
