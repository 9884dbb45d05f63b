import type { LlamaModel, Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import { createShield } from './shield.ts'
import { createSpecialText, type SpecialText, type SpecialToken } from './special-text.ts'

/** Converts text to tokens and back, for one model. */
export interface Tokenizer {
  /** Tokens in the vocabulary; ids are 0 up to this, exclusive. */
  readonly size: number
  /** Texts of the begin and end tokens; empty for a model without the token. */
  readonly bosText: string
  readonly eosText: string
  /** Tokenizes a text in which the texts of special tokens mean the tokens. Adds no begin token. */
  tokenize(text: string): Token[]
  /** The same with one begin token in front if the model expects it, and never two. */
  tokenizePrompt(text: string): Token[]
  /**
   * Tokenizes a rendered template. `render` gets a function that every piece of client data must pass through. The
   * template's own text may hold special tokens; client data never becomes a special token.
   */
  tokenizeTemplate(render: (protect: <Value>(value: Value) => Value) => string): Token[]
  /** Shows the special tokens of a text in answers: marks of thoughts and calls. End tokens stay hidden. */
  show(text: string): void
  /** The text that continues `context`; of special tokens only the shown ones. */
  detokenize(tokens: readonly Token[], context: readonly Token[]): string
  /** The text of tokens with special tokens in it: the reverse of {@link tokenize}. */
  toText(tokens: readonly Token[]): string
  /** Every token that ends a generation. */
  endTokens(): readonly Token[]
  /** @throws LlamaError `invalid_request` for ids outside the vocabulary, which would crash the engine */
  toTokens(ids: readonly number[], param: string): Token[]
}

const CONTROL_TYPES = new Set([2, 3])
/** Texts of this form may be special tokens although the file calls them normal. */
const LOOKS_SPECIAL = /^[_ ]?[<[{].*[>\]}]$/su

/** The tokenizer of a loaded model. */
export function createTokenizer(model: LlamaModel): Tokenizer {
  const texts = readList(model, 'tokens').map(String)
  const specialText = createSpecialText(findSpecialTokens(model, texts))
  const beginToken = model.tokens.shouldPrependBosToken ? model.tokens.bos : null

  let ends: readonly Token[] | undefined

  const shown = new Set<Token>()

  const withBegin = (tokens: Token[]): Token[] =>
    beginToken === null || tokens[0] === beginToken ? tokens : [beginToken, ...tokens]

  return {
    size: texts.length,
    bosText: model.tokens.bosString ?? '',
    eosText: model.tokens.eosString ?? '',
    tokenize: (text) => model.tokenize(text, true),
    tokenizePrompt: (text) => withBegin(model.tokenize(text, true)),
    tokenizeTemplate: (render) => {
      const shield = createShield(specialText)
      const rendered = render((value) => shield.hide(value))
      const tokens = shield.used
        ? tokenizeShielded(model, specialText, rendered, (text) => shield.reveal(text))
        : model.tokenize(rendered, true)
      return withBegin(tokens)
    },
    show: (text) => {
      for (const { token } of specialText.findAll(text)) {
        if (!model.isEogToken(token.id as Token)) shown.add(token.id as Token)
      }
    },
    detokenize: (tokens, context) => {
      if (shown.size === 0 || !tokens.some((token) => shown.has(token))) {
        return model.detokenize(tokens, false, context)
      }
      let before = context
      return splitRuns(tokens, (token) => shown.has(token))
        .map(({ tokens: run, isMarked }) => {
          const text = model.detokenize(run, isMarked, before)
          before = run
          return text
        })
        .join('')
    },
    toText: (tokens) => model.detokenize(tokens, true),
    endTokens: () => {
      ends ??= texts.map((_, id) => id as Token).filter((token) => model.isEogToken(token))
      return ends
    },
    toTokens: (ids, param) => ids.map((id) => toToken(id, texts.length, param)),
  }
}

/** Groups tokens into runs that are marked or unmarked as a whole. */
function splitRuns(
  tokens: readonly Token[],
  isMarked: (token: Token) => boolean,
): readonly { readonly tokens: readonly Token[]; readonly isMarked: boolean }[] {
  const runs: { tokens: Token[]; isMarked: boolean }[] = []
  for (const token of tokens) {
    const last = runs.at(-1)
    if (last?.isMarked === isMarked(token)) last.tokens.push(token)
    else runs.push({ tokens: [token], isMarked: isMarked(token) })
  }
  return runs
}

/**
 * Splits the text at its special tokens, as the engine does, and tokenizes the parts between as plain text with the
 * hidden texts restored. The tokens equal the engine's tokens for a text without hidden parts.
 */
function tokenizeShielded(
  model: LlamaModel,
  specialText: SpecialText,
  rendered: string,
  reveal: (text: string) => string,
): Token[] {
  const tokens: Token[] = []
  let start = 0
  let stripStart = false
  const addText = (end: number, stripEnd: boolean): void => {
    let text = rendered.slice(start, end)
    if (stripStart) text = text.trimStart()
    if (stripEnd) text = text.trimEnd()
    for (const token of model.tokenize(reveal(text), false)) tokens.push(token)
  }
  for (const match of specialText.findAll(rendered)) {
    addText(match.start, match.token.stripsLeft)
    tokens.push(match.token.id as Token)
    start = match.end
    stripStart = match.token.stripsRight
  }
  addText(rendered.length, false)
  return tokens
}

function findSpecialTokens(model: LlamaModel, texts: readonly string[]): SpecialToken[] {
  const types = readList(model, 'token_type')
  const found: SpecialToken[] = []
  texts.forEach((text, id) => {
    const byType = CONTROL_TYPES.has(Number(types[id]))
    if (!byType && !LOOKS_SPECIAL.test(text)) return
    // The id is an index in the vocabulary.
    const attributes = model.getTokenAttributes(id as Token)
    if (!attributes.control && !attributes.unknown) return
    found.push({ text, id, stripsLeft: attributes.lstrip, stripsRight: attributes.rstrip })
  })
  return found
}

function readList(model: LlamaModel, name: 'tokens' | 'token_type'): readonly unknown[] {
  const list: unknown = model.fileInfo.metadata.tokenizer?.ggml?.[name]
  return Array.isArray(list) ? list : []
}

function toToken(id: number, size: number, param: string): Token {
  if (!Number.isInteger(id) || id < 0 || id >= size) {
    throw invalidRequest(`token ${id} is not in the vocabulary of ${size}`, param)
  }
  return id as Token
}
