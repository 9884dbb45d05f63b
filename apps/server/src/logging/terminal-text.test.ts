import { describe, expect, it } from 'vitest'
import { escapeLine, escapeLines } from './terminal-text.ts'

/** Texts that change what a terminal shows, or what a reader takes it for. */
const HOSTILE_TEXTS: readonly (readonly [string, string])[] = [
  ['a colour', '\u001b[31mred\u001b[0m'],
  ['a cleared screen', '\u001b[2J\u001b[H'],
  ['a title', '\u001b]0;title\u0007'],
  ['a link', '\u001b]8;;https://evil.test\u001b\\text\u001b]8;;\u001b\\'],
  ['a clipboard', '\u001b]52;c;cm0gLXJm\u0007'],
  ['a reply of the terminal', '\u001b[6n\u001b[c'],
  ['a control in one character', '\u009b31mred\u009d0;title\u009c'],
  ['a device control', '\u001bP$q"p\u001b\\\u0090x\u009c'],
  ['a line that is written over', 'harmless\rrm -rf'],
  ['a character that is taken back', 'evil\b\b\b\bgood'],
  ['a bell, a null and a delete', '\u0007\u0000\u007f'],
  ['a page break', 'a\fb\vc'],
  ['an override of direction', 'photo_\u202egpj.exe'],
  ['an isolate', '\u2066a\u2069\u2067b'],
  ['a mark of direction', 'a\u200e\u200fb\u061c'],
  ['letters that are not seen', 'a\u200b\u2060\ufeff\u00adb'],
  ['tags that are not seen', 'a\u{e0041}\u{e0042}\u{e007f}'],
  ['ends of lines that are not seen', 'a\u2028b\u2029c\u0085d'],
]
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

describe('a foreign text at a terminal', () => {
  it.each(HOSTILE_TEXTS)('has no %s', (_what, text) => {
    for (const escaped of [escapeLine(text), escapeLines(text)]) {
      expect(escaped).not.toMatch(UNSAFE)
      expect(escapeLine(escaped)).toBe(escaped)
      const read = escaped.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      expect(read).toBe(text)
    }
  })

  it('is one line, or keeps its lines and tabs', () => {
    expect(escapeLine('a\nb\tc\r\n')).toBe('a\\u000ab\\u0009c\\u000d\\u000a')
    expect(escapeLines('a\nb\tc\r\n')).toBe('a\nb\tc\\u000d\n')
  })

  it('keeps letters, signs and pictures of all languages', () => {
    const text = 'grün 模型 नमूना نموذج דגם 🙂 → “x” é'
    expect([escapeLine(text), escapeLines(text)]).toEqual([text, text])
  })

  it('means the same as JSON', () => {
    for (const [what, text] of HOSTILE_TEXTS)
      expect(JSON.parse(escapeLines(`${JSON.stringify({ [text]: [text] })}\n`)), what).toEqual({ [text]: [text] })
  })
})
