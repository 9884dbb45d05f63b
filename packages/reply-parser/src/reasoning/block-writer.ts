import { endWithoutBlanks, skipBlanks } from './blanks.ts'

/** Joins blocks of reasoning that arrive in pieces: each trimmed, a blank line between those that are not empty. */
export interface BlockWriter {
  /** Begins the next block. */
  begin(): void
  /** Takes a piece of the block; answers what can be said of it now. */
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
        // What ends a block is dropped, so white space waits for what follows it.
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
