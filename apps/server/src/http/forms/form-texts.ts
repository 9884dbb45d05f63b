import { unparsable } from '../../inference/documents/unparsable.ts'
import { BodyPieces } from '../body-pieces.ts'

const QUOTE = Buffer.from('"')
const EMPTY_TEXT = Buffer.from('""')
/** Bytes of a member beside its name and text: quotes, brackets, a colon and a comma. */
const FRAME_BYTES = 8

/** Gathers the text fields of a form, encoded as JSON. */
export class FormTexts {
  readonly #members = new Map<string, Uint8Array[]>()

  /**
   * @param text from {@link FieldText}
   * @throws {SvcError} `invalid_request` for a name that occurs again
   */
  add(name: string, text: Uint8Array): void {
    const known = this.#members.get(name)
    if (known === undefined) this.#members.set(name, [text])
    else if (name.endsWith('[]')) known.push(text)
    else throw unparsable(`${name}: the field occurs twice`, name)
  }

  /** Writes the fields as one object. */
  encode(): Uint8Array {
    const pieces: Uint8Array[] = []
    const write = (text: string): void => void pieces.push(Buffer.from(text))
    for (const [name, texts] of this.#members) {
      const isList = name.endsWith('[]')
      write(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:${isList ? '[' : ''}`)
      for (const [index, text] of texts.entries()) {
        if (index > 0) write(',')
        pieces.push(text)
      }
      if (isList) write(']')
    }
    write(pieces.length === 0 ? '{}' : '}')
    return Buffer.concat(pieces)
  }
}

/** Gives the largest number of bytes that a field has in {@link FormTexts} beside its text. */
export function measureFrame(name: string): number {
  return Buffer.byteLength(JSON.stringify(name)) + FRAME_BYTES
}

/** Encodes a text as a JSON string while it arrives. */
export class FieldText {
  readonly #name: string
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #pieces = new BodyPieces()

  /** @param name of the field */
  constructor(name: string) {
    this.#name = name
  }

  /** Adds a piece. @returns the bytes of its encoding @throws {SvcError} `invalid_request` for bytes that are not UTF-8 */
  add(piece: Uint8Array): number {
    return this.#write(this.#decode(piece))
  }

  /** Ends the text. @throws {SvcError} `invalid_request` for a text that ends inside a character */
  end(): Uint8Array {
    this.#write(this.#decode())
    return this.#pieces.count === 0 ? EMPTY_TEXT : this.#pieces.join(QUOTE)
  }

  #decode(piece?: Uint8Array): string {
    try {
      return this.#decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw unparsable(`${this.#name} is not UTF-8`)
    }
  }

  #write(text: string): number {
    if (text === '') return 0
    // Its quotes are no pieces of their own: a small piece behind another one takes a whole block.
    const opening = this.#pieces.count === 0 ? 1 : 0
    const encoded = Buffer.from(JSON.stringify(text).slice(1 - opening, -1))
    this.#pieces.add(encoded)
    return encoded.length - opening
  }
}
