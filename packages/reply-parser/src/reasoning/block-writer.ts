import { endWithoutBlanks, skipBlanks } from './blanks.ts'

/** Joins blocks of reasoning that arrive in pieces. Trims each block and puts a blank line between non-empty ones. */
export interface BlockWriter {
  /** Begins the next block. */
  begin(): void
  /** Takes a piece of the block and returns the text that is ready. */
  write(piece: string): string
}

/** Makes the writer of one reply. */
export function createBlockWriter(): BlockWriter {
  let wroteAny = false
  let wroteInBlock = false
  let blanks = ''

  return {
    begin() {
      wroteInBlock = false
      blanks = ''
    },
    write(piece) {
      const end = endWithoutBlanks(piece)
      if (end === 0) {
        // White space at the end of a block is dropped, so it waits for the next text.
        if (wroteInBlock) blanks += piece
        return ''
      }
      const separator = wroteInBlock ? blanks : wroteAny ? '\n\n' : ''
      const text = separator + piece.slice(wroteInBlock ? 0 : skipBlanks(piece), end)
      wroteAny = true
      wroteInBlock = true
      blanks = piece.slice(end)
      return text
    },
  }
}
