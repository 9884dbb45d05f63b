import { hashText, splitWords } from './words.ts'

/** Words and their ids, both ways. */
export interface Vocabulary {
  /** Ids of the words of a text, the same in every process unless two words collide. */
  encode(text: string): number[]
  /** The text of ids; an unknown id reads as `<id>`. */
  decode(ids: readonly number[]): string
}

const SIZE = 2 ** 24

/** Creates an empty vocabulary. */
export function createVocabulary(): Vocabulary {
  const words = new Map<number, string>()

  function toId(word: string): number {
    let id = hashText(word) % SIZE
    while (words.has(id) && words.get(id) !== word) id = (id + 1) % SIZE
    words.set(id, word)
    return id
  }

  return {
    encode: (text) => splitWords(text).map(toId),
    decode: (ids) => ids.map((id) => words.get(id) ?? `<${id}>`).join(''),
  }
}
