import { escapeProse } from '../../logging/terminal-text.ts'

/** Makes the pieces of a model's text fit for a terminal. */
export interface AnswerText {
  /** Takes the next piece, cut anywhere. */
  push(piece: string): string
  /** Ends the text: gives the rest, and a line end where the text has none. */
  end(): string
}

/** An end that may be the first half of a line end, or of a character of two units. */
const FIRST_HALF = /[\r\ud800-\udbff]$/

/** A text at its start. Line ends become LF; other control characters are shown. */
export function createAnswerText(): AnswerText {
  let held = ''
  let isLineOpen = false
  const show = (text: string): string => {
    if (text === '') return ''
    isLineOpen = !text.endsWith('\n')
    return escapeProse(text)
  }
  return {
    push(piece) {
      const text = held + piece
      held = FIRST_HALF.exec(text)?.[0] ?? ''
      return show(text.slice(0, text.length - held.length).replaceAll('\r\n', '\n'))
    },
    end() {
      const rest = show(held)
      held = ''
      const end = isLineOpen ? '\n' : ''
      isLineOpen = false
      return rest + end
    },
  }
}
