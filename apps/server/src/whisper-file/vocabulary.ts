import { badFile } from './ct2-file.ts'

/** Entries of a vocabulary of many languages, at least. */
const MULTILINGUAL = 51_865
const ENGLISH_WORDS = 50_256

/** The bytes that each character of a GPT-2 vocabulary stands for. */
function makeAlphabet(): ReadonlyMap<string, number> {
  const alphabet = new Map<string, number>()
  let others = 0
  for (let byte = 0; byte < 256; byte += 1) {
    const isShown = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
    alphabet.set(String.fromCodePoint(isShown ? byte : 256 + others++), byte)
  }
  return alphabet
}

/**
 * The words of a Whisper model as bytes, in their order, without the entries that mean tasks, languages and times.
 *
 * @param entries of the whole vocabulary
 * @throws {SvcError} `unprocessable` for a file without them
 */
export function readWords(tokenizer: string, entries: number): readonly Buffer[] {
  const count = entries >= MULTILINGUAL ? ENGLISH_WORDS + 1 : ENGLISH_WORDS
  const alphabet = makeAlphabet()
  const words = Array.from({ length: count }, () => Buffer.alloc(0))
  let found = 0
  for (const [word, id] of Object.entries(readVocabulary(tokenizer))) {
    if (!Number.isInteger(id) || id < 0 || id >= count) continue
    words[id] = Buffer.from([...word].map((character) => alphabet.get(character) ?? 63))
    found += 1
  }
  if (found === 0) throw badFile('tokenizer.json has no words')
  return words
}

function readVocabulary(tokenizer: string): Readonly<Record<string, number>> {
  try {
    const { model } = JSON.parse(tokenizer) as { model?: { vocab?: Record<string, number> } }
    if (typeof model?.vocab === 'object' && model.vocab !== null) return model.vocab
  } catch {
    // said below
  }
  throw badFile('tokenizer.json is not the tokenizer of a Whisper model')
}
