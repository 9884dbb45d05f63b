const UNSTORABLE = /\0|\p{Surrogate}/gu

/** Makes a text that every database takes: without NUL and without halves of characters. */
export function toStorable(text: string): string {
  return text.replaceAll(UNSTORABLE, '\ufffd')
}
