import { type ByteLevelPreTokenizer, library, type MetaspacePreTokenizer, type PreTokenizer } from './library.ts'
import { replaceTracked } from './normalize.ts'
import { createTrackedTextBuilder, prependTracked, sliceTracked, type TrackedText } from './tracked-text.ts'

/** Splits a text into words for the tokenizer model. `section` counts the pieces of a text, from 0. */
export type PreTokenizeStep = (input: TrackedText, section: number) => readonly TrackedText[]

/** Creates the steps of a pre-tokenizer; each applies to all results of the previous one. */
export function createPreTokenizeSteps(preTokenizer: PreTokenizer | null): readonly PreTokenizeStep[] {
  if (preTokenizer === null) return []
  if (preTokenizer instanceof library.SequencePreTokenizer)
    return preTokenizer.tokenizers.flatMap(createPreTokenizeSteps)
  if (preTokenizer instanceof library.ByteLevelPreTokenizer) return [(input) => toBytes(input, preTokenizer)]
  if (preTokenizer instanceof library.MetaspacePreTokenizer) {
    return [(input, section) => [toMetaspace(input, preTokenizer, section)]]
  }
  if (preTokenizer instanceof library.ReplacePreTokenizer) {
    const { pattern, content } = preTokenizer
    return pattern === null ? [] : [(input) => [replaceTracked(input, pattern, content)]]
  }
  return [(input, section) => findWords(input, preTokenizer.pre_tokenize_text(input.text, { section_index: section }))]
}

/** Finds words in the text, one after the other. */
function findWords(input: TrackedText, words: readonly string[]): readonly TrackedText[] {
  let end = 0
  return words
    .filter((word) => word !== '')
    .map((word) => {
      const start = input.text.indexOf(word, end)
      // A changed word cannot be found: its source is the whole rest.
      if (start < 0) return coverWord(word, sliceTracked(input, end, input.text.length))
      end = start + word.length
      return sliceTracked(input, start, end)
    })
}

function coverWord(word: string, rest: TrackedText): TrackedText {
  const builder = createTrackedTextBuilder()
  const start = rest.starts[0] ?? 0
  builder.add(word, start, rest.ends.at(-1) ?? start)
  return builder.build()
}

/** Splits the text into words and writes each byte of UTF-8 as one letter. Every character is in one of the words. */
function toBytes(text: TrackedText, preTokenizer: ByteLevelPreTokenizer): readonly TrackedText[] {
  const input = preTokenizer.add_prefix_space && !text.text.startsWith(' ') ? prependTracked(' ', text) : text
  let at = 0
  return preTokenizer.pre_tokenize_text(input.text).map((word) => {
    const builder = createTrackedTextBuilder()
    for (let byte = 0; byte < word.length; ) {
      const point = input.text.codePointAt(at) ?? 0
      const end = at + (point > 0xffff ? 2 : 1)
      const count = utf8Length(point)
      builder.add(word.slice(byte, byte + count), input.starts[at] ?? 0, input.ends[end - 1] ?? 0)
      byte += count
      at = end
    }
    return builder.build()
  })
}

/** Bytes of a code point in UTF-8; half of a surrogate pair becomes the three of the replacement character. */
function utf8Length(point: number): number {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}

/** Replaces every space with a mark, and adds one in front if the model expects it. */
function toMetaspace(input: TrackedText, preTokenizer: MetaspacePreTokenizer, section: number): TrackedText {
  const { replacement, str_rep: mark, prepend_scheme: scheme } = preTokenizer
  const marked = replaceTracked(input, / /g, mark)
  const wanted = scheme === 'always' || (scheme === 'first' && section === 0)
  return wanted && !marked.text.startsWith(replacement) ? prependTracked(mark, marked) : marked
}

/** The whole text is one word when no step splits it. */
export function preTokenize(
  input: TrackedText,
  steps: readonly PreTokenizeStep[],
  section: number,
): readonly TrackedText[] {
  return steps.reduce<readonly TrackedText[]>((words, step) => words.flatMap((word) => step(word, section)), [input])
}
