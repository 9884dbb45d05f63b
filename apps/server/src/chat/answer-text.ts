import { escapeProse } from '../terminal-text.ts'

/** Makes the pieces of a model's text fit for a terminal. */
export interface AnswerText {
  /** Takes the next piece, cut anywhere. */
  push(piece: string): string
  /** Ends the text: gives what is left, and a line end where the text has none. */
  end(): string
}

/** A text at its start. Line ends become LF; other control characters are shown. */
export function createAnswerText(): AnswerText {
  let holdsReturn = false
  let isLineOpen = false
  const show = (text: string): string => {
    if (text === '') return ''
    isLineOpen = !text.endsWith('\n')
    return escapeProse(text)
  }
  return {
    push(piece) {
      const text = (holdsReturn ? '\r' : '') + piece
      // A CR at the end may be the first half of a line end.
      holdsReturn = text.endsWith('\r')
      return show((holdsReturn ? text.slice(0, -1) : text).replaceAll('\r\n', '\n'))
    },
    end() {
      const rest = show(holdsReturn ? '\r' : '')
      holdsReturn = false
      return isLineOpen ? `${rest}\n` : rest
    },
  }
}
