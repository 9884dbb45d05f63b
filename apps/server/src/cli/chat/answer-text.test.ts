import { describe, expect, it } from 'vitest'
import { createAnswerText } from './answer-text.ts'

/** Shows pieces of a text as one. */
function show(pieces: readonly string[]): string {
  const answer = createAnswerText()
  return pieces.map((piece) => answer.push(piece)).join('') + answer.end()
}

// verifies cli:chat:no-escapes
describe('the text of a model', () => {
  it.each([
    ['a sequence of colours', '\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m\n'],
    ['a sequence of eight bits', '\u009b2J\u009d52;c;cm0=\u009c', '\\u009b2J\\u009d52;c;cm0=\\u009c\n'],
    ['a title and the clipboard', '\u001b]0;x\u0007\u001bP$q\u001b\\', '\\u001b]0;x\\u0007\\u001bP$q\\u001b\\\n'],
    ['a line that is written over', 'safe\rforged', 'safe\\u000dforged\n'],
    ['erased letters', 'ab\b\bcd\u007f', 'ab\\u0008\\u0008cd\\u007f\n'],
    ['line ends of another system', 'a\r\nb\r\n', 'a\nb\n'],
    ['returns before a line end', 'a\r\r\nb', 'a\\u000d\nb\n'],
    ['a return at the end', 'a\r', 'a\\u000d\n'],
    ['marks of direction', '\u202eevil\u2066x\u2069', '\\u202eevil\\u2066x\\u2069\n'],
    ['hidden letters', 'a\u{e0041}\u2028b', 'a\\udb40\\udc41\\u2028b\n'],
    ['tabs, lines and joined letters', 'a\tb\nمی\u200cخواهم 👨\u200d👩\n', 'a\tb\nمی\u200cخواهم 👨\u200d👩\n'],
    ['emoji and letters of two units', '😀a𝒳👨‍👩‍👧😀', '😀a𝒳👨‍👩‍👧😀\n'],
    ['a line end after an emoji', '😀\r\n😀\r', '😀\n😀\\u000d\n'],
    ['halves of characters', 'a\ud83d\ud83db\ude00c\ud83d', 'a\ud83d\ud83db\ude00c\ud83d\n'],
    ['half of a character before a line end', '\ud83d\r\nx', '\ud83d\nx\n'],
    ['nothing', '', ''],
    ['an end of its own', 'a\n\n', 'a\n\n'],
  ])('%s: is the same for every cut', (_, text, shown) => {
    const units = text.split('')
    expect(show([text])).toBe(shown)
    expect(show(units)).toBe(shown)
    for (let cut = 0; cut <= units.length; cut += 1)
      expect(show([units.slice(0, cut).join(''), '', units.slice(cut).join('')]), String(cut)).toBe(shown)
  })
})
