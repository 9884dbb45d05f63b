import { DocumentError } from '../errors.ts'

/** Pieces that are joined at a time: each one costs memory of its own. */
const PIECES_AT_ONCE = 4096

/** Gathers a long text from many short pieces. */
export interface TextPieces {
  /** @throws {DocumentError} `document_limit` for more text than the caller allows */
  add(piece: string): void
  readonly isEmpty: boolean
  join(): string
}

/** @param maxCharacters largest text, UTF-16 code units */
export function createTextPieces(maxCharacters: number): TextPieces {
  const joined: string[] = []
  let pieces: string[] = []
  let length = 0
  return {
    add(piece) {
      length += piece.length
      if (length > maxCharacters) {
        throw new DocumentError('document_limit', `the document has more than ${maxCharacters} characters of text`)
      }
      pieces.push(piece)
      if (pieces.length < PIECES_AT_ONCE) return
      joined.push(pieces.join(''))
      pieces = []
    },
    get isEmpty() {
      return length === 0
    },
    join: () => joined.join('') + pieces.join(''),
  }
}

/** Largest text of a document that is written anew: blanks and marks are added to it. */
export const MAX_TEXT_CHARACTERS = 128 * 1024 * 1024
