import { type AddedToken, createBreaker, createSplitter } from './added-tokens.ts'
import { type Frame, readPairFrame, readSingleFrame } from './frame.ts'
import { library, type Model } from './library.ts'
import {
  createNormalizeSteps,
  normalizeByCluster,
  replaceTracked,
  stripTracked,
  type TrackedStep,
} from './normalize.ts'
import { createPreTokenizeSteps, preTokenize } from './pre-tokenize.ts'
import { type TrackedText, trackText } from './tracked-text.ts'
import { type Token, toTokens } from './word-pieces.ts'

/** The tokenizer of a model, which knows the source range of each token. */
export interface TextTokenizer {
  /** Special tokens around one text. */
  readonly single: Frame
  /** Special tokens around two texts; undefined for a model without such a form. */
  readonly pair: Frame | undefined
  /** Tokens of padding. */
  readonly padId: number
  /**
   * The tokens of a text, without special ones. Text that reads like a special token is text. Long texts are split at
   * blanks into parts, with pauses between them and between many texts, so that the process stays responsive.
   */
  encode(text: string, options: { readonly signal: AbortSignal }): Promise<readonly Token[]>
  /** The text of token ids, special ones included. */
  decode(ids: readonly number[]): string
  /** Whether a token has this id. */
  has(id: number): boolean
}

/** Contents of the two files of a tokenizer, checked to be objects. */
export interface TokenizerFiles {
  /** `tokenizer.json`. */
  readonly tokenizer: Readonly<Record<string, unknown>>
  /** `tokenizer_config.json`; empty when the file is missing. */
  readonly config: Readonly<Record<string, unknown>>
}

/** UTF-16 units read without a pause. */
const SECTION_UNITS = 8192

/** Builds a tokenizer. @throws Error for features that the library lacks */
export function createTextTokenizer({ tokenizer: file, config }: TokenizerFiles): TextTokenizer {
  const parts = new library.Tokenizer({ added_tokens: [], ...file }, config)
  const { model } = parts
  if (model === null) throw new Error('there is no model')
  const added = readAddedTokens(file.added_tokens)
  const normalizer = parts.normalizer
  const special = added.filter((token) => token.special)
  const plain = added.filter((token) => !token.special)
  const isLate = (token: AddedToken): boolean => token.normalized && normalizer !== null
  const splitEarly = createSplitter(new Map(plain.filter((t) => !isLate(t)).map((t) => [t.content, t])))
  const splitLate = createSplitter(
    new Map(plain.filter(isLate).map((token) => [normalizer?.normalize(token.content) ?? token.content, token])),
  )
  const breakSpecial = createBreaker(special.map(({ content }) => content))
  const normalizeSteps = [...legacySteps(config), ...createNormalizeSteps(normalizer)]
  const preTokenizeSteps = createPreTokenizeSteps(parts.pre_tokenizer)
  const hideSpecial = createGuard(model, special)
  const toId = (token: string): number => parts.token_to_id(token) ?? model.unk_token_id ?? 0

  let sincePause = 0

  const readSection = (input: TrackedText, place: { section: number }): Token[] =>
    splitEarly(input).flatMap((early) => {
      if (early.kind === 'token') return [early.token]
      return breakSpecial(early.text).flatMap((piece) => {
        const section = place.section++
        const normalized = normalizeSteps.reduce((text, step) => step(text), piece)
        if (normalized.text === '') return []
        return splitLate(normalized).flatMap((late) =>
          late.kind === 'token'
            ? [late.token]
            : toTokens(model, preTokenize(late.text, preTokenizeSteps, section)).map(hideSpecial),
        )
      })
    })

  return {
    single: readSingleFrame(parts.post_processor, toId),
    pair: readPairFrame(parts.post_processor, toId),
    padId: typeof config.pad_token === 'string' ? (parts.token_to_id(config.pad_token) ?? 0) : 0,
    encode: async (text, { signal }) => {
      const place = { section: 0 }
      const sections: Token[][] = []
      for (let start = 0; start < text.length; ) {
        signal.throwIfAborted()
        const end = sectionEnd(text, start)
        sections.push(readSection(trackText(text, start, end), place))
        sincePause += end - start
        if (sincePause >= SECTION_UNITS) {
          sincePause = 0
          await nextTurn()
        }
        start = end
      }
      return sections.flat()
    },
    decode: (ids) => (ids.length === 0 ? '' : parts.decode([...ids], { clean_up_tokenization_spaces: false })),
    has: (id) => model.vocab[id] !== undefined,
  }
}

/**
 * The end of a part of a long text: before blanks if there are any in its second half, never inside a surrogate pair.
 */
function sectionEnd(text: string, start: number): number {
  if (text.length - start <= 2 * SECTION_UNITS) return text.length
  for (let end = start + SECTION_UNITS; end > start + SECTION_UNITS / 2; end--) {
    if (/\s/.test(text.charAt(end)) && !/\s/.test(text.charAt(end - 1))) return end
  }
  const end = start + SECTION_UNITS
  return /[\udc00-\udfff]/.test(text.charAt(end)) ? end + 1 : end
}

/** The steps that two old keys of the configuration ask for. */
function legacySteps(config: Readonly<Record<string, unknown>>): readonly TrackedStep[] {
  const steps: TrackedStep[] = []
  if (config.remove_space === true) {
    steps.push((input) => replaceTracked(stripTracked(input, { left: true, right: true }), /\s+/g, ' '))
  }
  if (config.do_lowercase_and_remove_accent === true) {
    steps.push(normalizeByCluster((text) => text.toLowerCase().replace(/\p{M}/gu, '')))
  }
  return steps
}

/** Keeps special tokens out of a text's tokens, except for the one for unknown text. */
function createGuard(model: Model, special: readonly AddedToken[]): (token: Token) => Token {
  const unknown = model.unk_token_id
  const forbidden = new Set(special.map(({ id }) => id).filter((id) => id !== unknown))
  return (token) => (forbidden.has(token.id) && unknown !== undefined ? { ...token, id: unknown } : token)
}

function readAddedTokens(value: unknown): readonly AddedToken[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { id, content, special, normalized, lstrip, rstrip } = entry as Readonly<Record<string, unknown>>
    if (typeof id !== 'number' || typeof content !== 'string') return []
    const isSpecial = special === true
    return [
      {
        id,
        content,
        special: isSpecial,
        normalized: typeof normalized === 'boolean' ? normalized : !isSpecial,
        lstrip: lstrip === true,
        rstrip: rstrip === true,
      },
    ]
  })
}

/** Gives other work its turn, also where there is no `setImmediate`. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}
