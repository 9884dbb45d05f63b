import { describe, expect, it } from 'vitest'
import { checkName, checkText } from './check-text.ts'

const text = (value: unknown) => checkText(value, { name: 'name', maxLength: 200 })
const name = (value: unknown) => checkName(value, { name: 'name', maxLength: 200 })

describe('a name', () => {
  it.each([
    ...['Ada', "Robert'); DROP TABLE users;--", '%_\\', 'Ω≈ç√∫', 'a\u0301', 'Ａｄａ', '𝐀𝐝𝐚', '½ µ', 'Ada 2.0'],
    ...[
      'Анна',
      'Сара',
      'РОСА',
      'Ελένη',
      'עדה',
      'عائشة',
      'علی\u200cرضا',
      'अन्\u200dन',
      'അന്‍വര്‍',
      '葛\u{e0100}城',
      '김철수',
    ],
    ...['😀 👩‍👩‍👧', '👩🏽\u200d💻', '❤️', '🏳️‍🌈', '1️⃣', 'Ada и Анна', 'Яндекс Cloud'],
  ])('may be %s', (value) => {
    expect(name(value)).toBe(value)
  })

  it.each([
    ['a mark of direction', '\u202eevil'],
    ['an isolate', 'Ada\u2066'],
    ['a mark of direction of one letter', 'Ada\u200f'],
    ['a letter that is not seen', 'A\u200bda'],
    ['a joiner between Latin letters', 'A\u200dda'],
    ['a joiner between digits', '1\u200d2'],
    ['a joiner at an end', '👩\u200d'],
    ['a selector behind a letter', 'A\ufe0fda'],
    ['a selector of ideographs behind a letter', 'A\u{e0100}da'],
    ['tags', 'Ada\u{e0041}\u{e007f}'],
    ['a filler', '\u3164'],
    ['a blank pattern', '\u2800'],
    ['a line end', 'Ada\nadmin'],
    ['a tab', 'Ada\tadmin'],
    ['an escape', 'Ada\u001b[2J'],
    ['a control in one character', 'Ada\u009b2J'],
    ['a line that is not seen', 'Ada\u2028x'],
    ['a letter of private use', 'Ada\ue000'],
    ['nothing but what is not seen', '\u200b\u200b'],
  ])('has never %s', (_what, value) => {
    for (const check of [text, name]) expect(() => check(value)).toThrow('name holds invisible or control characters')
  })

  it.each(['\u0410dmin', 'adm\u0456n', 'r\u043eot', 'Ad\u03b1', '\u0391da', 'R\u057fot', '\u13aada', 'x (\u0430b)'])(
    'has no word of two alphabets: %s',
    (value) => {
      expect(() => name(value)).toThrow('name mixes letters of two alphabets in one word')
      expect(text(value)).toBe(value)
    },
  )

  it('cannot be what a database cannot store', () => {
    for (const value of ['a\0b', 'a\ud800'])
      expect(() => name(value)).toThrow('name holds characters that cannot be stored')
  })
})
