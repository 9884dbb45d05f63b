import { CLOSE_BRACE, QUOTE } from './ascii.ts'
import { JsonError } from './errors.ts'
import { type JsonLimits, MAX_JSON_BYTES, type ResolvedLimits, resolveLimits } from './guard.ts'
import { BYTES_PER_STEP, parseJsonCooperatively } from './parse.ts'
import { runInSlices, type SliceOptions } from './slices.ts'
import { applySplices, type Splice, sortSplices } from './splice.ts'
import { END_MASK, findEndOffset, findNextSibling, opensContainer, readFirstByte, Tape, type Tokens } from './tape.ts'
import { Tokenizer } from './tokenize.ts'
import { JsonDocument } from './tree.ts'

/** Tokens copied between two looks at the clock: under a millisecond. */
const TOKENS_PER_STEP = 8192

const NO_CONTAINER = -1

/**
 * Gives the document, or the error, of `parseJsonCooperatively(applySplices(document.bytes, splices), limits)`. Where
 * every edit replaces one whole value or key, the other tokens are kept, and only the replacements are parsed. Other
 * edits parse all bytes again. Without edits the same document is returned, whatever the limits.
 *
 * @throws SvcError as `applySplices` and `parseJson` do; the signal's reason once it is aborted
 */
export async function spliceCooperatively(
  document: JsonDocument,
  splices: readonly Splice[],
  limits?: JsonLimits,
  options?: SliceOptions,
): Promise<JsonDocument> {
  const bytes = applySplices(document.bytes, splices)
  if (bytes === document.bytes) return document
  if (bytes.length > MAX_JSON_BYTES) return parseJsonCooperatively(bytes, limits, options)
  const splicer = new TapeSplicer(document, { bytes, splices: sortSplices(splices), limits: resolveLimits(limits) })
  const step = () => splicer.advance(TOKENS_PER_STEP)
  options?.signal?.throwIfAborted()
  // Most documents need one step: there is nothing to wait for.
  if (!step()) await runInSlices(step, options)
  return splicer.fits
    ? new JsonDocument(splicer, splicer.nodeCount)
    : await parseJsonCooperatively(bytes, limits, options)
}

/** Tokens that are copied. */
interface Source {
  readonly tokens: Tokens
  /** The next entry. */
  index: number
  /** Bytes from an offset in the tokens to the same place in the result. */
  shift: number
}

/** Copies tokens, with those of the replacements in the places of the replaced ones; can stop after any token. */
class TapeSplicer implements Tokens {
  readonly bytes: Uint8Array
  readonly tape: Tape
  /** Objects, arrays and keys so far. The keys of an object count when it closes. */
  nodeCount = 0
  /** False once an edit does not replace a whole token by a value that may stand there. */
  fits = true
  readonly #splices: readonly Splice[]
  readonly #limits: ResolvedLimits
  readonly #document: Source
  /** The replacement of the next edit: first parsed, then copied. */
  #parsing: Tokenizer | undefined
  #replacement: Source | undefined
  /** The next edit. */
  #next = 0
  /** The innermost open container: the entry of its closing bracket in its source, and its entry here. */
  #closeIndex = NO_CONTAINER
  #openIndex = NO_CONTAINER
  /** The same of the containers around it. */
  readonly #outerCloses: number[] = []
  readonly #outerOpens: number[] = []

  constructor(
    document: Tokens,
    edit: { readonly bytes: Uint8Array; readonly splices: readonly Splice[]; readonly limits: ResolvedLimits },
  ) {
    this.bytes = edit.bytes
    this.tape = new Tape(edit.bytes.length)
    this.#splices = edit.splices
    this.#limits = edit.limits
    this.#document = { tokens: document, index: 0, shift: 0 }
  }

  /** Copies up to `count` tokens more, and returns whether this was the last step: all are copied, or one does not fit. */
  advance(count: number): boolean {
    for (let step = 0; step < count; step++) {
      if (this.#parsing === undefined) this.fits = this.#copyToken(this.#replacement ?? this.#document)
      else if (!this.#parseOn(this.#parsing)) return !this.fits
      if (!this.fits) return true
      if (this.#closeIndex === NO_CONTAINER && this.#parsing === undefined && this.#replacement === undefined) {
        this.fits = this.#next === this.#splices.length && this.nodeCount <= this.#limits.maxNodes
        return true
      }
    }
    return false
  }

  /** @returns whether the next edit leaves the token alone, or replaces all of it */
  #copyToken(source: Source): boolean {
    const { tokens, index, shift } = source
    const first = tokens.tape.first(index)
    const second = tokens.tape.second(index)
    const splice = source === this.#document ? this.#splices[this.#next] : undefined
    if (index === this.#closeIndex) {
      if (splice !== undefined && splice.start < first) return false
      this.#close(source, first, second)
    } else {
      const opens = opensContainer(readFirstByte(tokens, index))
      if (splice !== undefined && splice.start < (opens ? first + 1 : second & END_MASK)) return this.#replace(splice)
      if (!opens) this.tape.push(first + shift, second + shift)
      else if (!this.#open(first + shift, second)) return false
    }
    source.index = index + 1
    if (source === this.#replacement && index + 1 === tokens.tape.length) this.#endReplacement()
    return true
  }

  #open(start: number, closeIndex: number): boolean {
    if (this.#outerCloses.length >= this.#limits.maxDepth) return false
    this.nodeCount++
    this.#outerCloses.push(this.#closeIndex)
    this.#outerOpens.push(this.#openIndex)
    this.#closeIndex = closeIndex
    this.#openIndex = this.tape.push(start, NO_CONTAINER)
    return true
  }

  #close({ tokens, shift }: Source, end: number, count: number): void {
    if (tokens.bytes[end - 1] === CLOSE_BRACE) this.nodeCount += count
    this.tape.setSecond(this.#openIndex, this.tape.push(end + shift, count))
    this.#closeIndex = this.#outerCloses.pop() ?? NO_CONTAINER
    this.#openIndex = this.#outerOpens.pop() ?? NO_CONTAINER
  }

  #replace({ start, end, replacement }: Splice): boolean {
    const { tokens, index } = this.#document
    this.#parsing = new Tokenizer(replacement, this.#limits)
    return start === tokens.tape.first(index) && end === findEndOffset(tokens, index)
  }

  /** @returns whether the replacement is parsed */
  #parseOn(tokenizer: Tokenizer): boolean {
    try {
      if (!tokenizer.advance(tokenizer.position + BYTES_PER_STEP)) return false
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      // The parse of all bytes says whether this is a fault, and where.
      this.fits = false
      return false
    }
    const { tokens, index, shift } = this.#document
    this.#parsing = undefined
    this.#replacement = { tokens: tokenizer, index: 0, shift: tokens.tape.first(index) + shift }
    // Only a string may take the place of a key.
    this.fits = readFirstByte(tokens, index) !== QUOTE || readFirstByte(tokenizer, 0) === QUOTE
    return true
  }

  #endReplacement(): void {
    const document = this.#document
    const splice = this.#splices[this.#next]
    if (splice !== undefined) document.shift += splice.replacement.length - (splice.end - splice.start)
    document.index = findNextSibling(document.tokens, document.index)
    this.#replacement = undefined
    this.#next++
  }
}
