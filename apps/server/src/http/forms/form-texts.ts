import { type JsonDocument, parseJson } from '@svc/json'
import { unparsable } from '../../inference/documents/unparsable.ts'

/** Gathers the text fields of a form. */
export class FormTexts {
  readonly #texts = new Map<string, string | string[]>()

  /** @throws {SvcError} `invalid_request` for a name that occurs again */
  add(name: string, text: string): void {
    const known = this.#texts.get(name)
    if (Array.isArray(known)) known.push(text)
    else if (known !== undefined) throw unparsable(`${name}: the field occurs twice`, name)
    else this.#texts.set(name, name.endsWith('[]') ? [text] : text)
  }

  /** Writes the fields as one object. */
  encode(): Uint8Array {
    const members = Array.from(this.#texts, ([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`)
    return Buffer.from(`{${members.join(',')}}`)
  }
}

/** Reads the encoded fields as a token tree. */
export function toTextsDocument(bytes: Uint8Array): JsonDocument {
  return parseJson(bytes)
}
