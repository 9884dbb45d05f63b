import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import { checkGrammarBounds } from './grammar-bounds.ts'
import type { Native, NativeGrammar, NativeGrammarState } from './native.ts'
import type { TokenBytes } from './token-bytes.ts'

/** The progress of a grammar through one answer. */
export interface GrammarGuide {
  /** State of the grammar; undefined while it waits for a trigger. */
  readonly state: NativeGrammarState | undefined
  /** Whether the text is complete and only blanks could follow. */
  readonly complete: boolean
  /** Whether a token may come next. */
  allows(token: Token): boolean
  /** Advances past a chosen token. */
  accept(token: Token): void
  /** Records a token with which the engine itself advanced {@link state}. */
  note(token: Token): void
}

/** The parts of a model that a grammar uses. */
export interface GrammarModel {
  readonly native: Native
  readonly tokenBytes: TokenBytes
  /** Any token that ends a generation. */
  readonly endToken: Token | undefined
}

/** The grammar settings of a request. */
export interface GrammarRequest {
  /** In the dialect of llama.cpp (GBNF), with a rule `root`. */
  readonly text: string
  /** Trigger words: the grammar begins after one of them; without any it begins at once. */
  readonly triggers: readonly string[]
}

const BLANKS = [0x20, 0x0a, 0x09, 0x0d]
/** Blanks allowed before other text; further ones count as the end. */
const BLANKS_AHEAD = 2

/** Starts a grammar. @throws LlamaError `invalid_request` for an invalid one */
export function createGrammarGuide(request: GrammarRequest, model: GrammarModel): GrammarGuide {
  checkGrammarBounds(request.text)
  const grammar = readGrammar(request.text, model.native)
  const fresh = (): NativeGrammarState => model.native.createGrammarState(grammar)
  const trigger = request.triggers.length > 0 ? createTriggerScan(request.triggers, model.tokenBytes) : undefined
  let state = trigger === undefined ? fresh() : undefined
  let complete = false

  const advance = (): void => {
    complete = state !== undefined && isComplete(state, model)
  }
  const awaken = (token: Token): void => {
    const found = trigger?.push(token)
    if (found === undefined) return
    // A grammar may begin with the trigger word or after it.
    state = feed(fresh(), found.withWord, model) ?? feed(fresh(), found.afterWord, model)
    advance()
  }
  return {
    get state() {
      return state
    },
    get complete() {
      return complete
    },
    allows: (token) => state === undefined || model.native.canBeNext(state, token),
    accept: (token) => {
      if (state === undefined) return awaken(token)
      model.native.acceptToken(state, token)
      advance()
    },
    note: (token) => {
      if (state === undefined) awaken(token)
      else advance()
    },
  }
}

function readGrammar(text: string, native: Native): NativeGrammar {
  try {
    return native.createGrammar(text, 'root')
  } catch (error) {
    throw invalidRequest(`the grammar cannot be read: ${error instanceof Error ? error.message : 'unknown'}`, 'Grammar')
  }
}

/** The state after these bytes; undefined when the grammar does not allow them. */
function feed(state: NativeGrammarState, bytes: Buffer, model: GrammarModel): NativeGrammarState | undefined {
  for (const byte of bytes) {
    const token = model.tokenBytes.ofByte(byte)
    if (token === undefined || !model.native.canBeNext(state, token)) return undefined
    model.native.acceptToken(state, token)
  }
  return state
}

/**
 * Whether the text is complete. Models tend to continue with line ends where a grammar allows blanks at its end. Blanks
 * therefore do not count as continuing, unless other text can follow one or two of them.
 */
function isComplete(state: NativeGrammarState, model: GrammarModel, ahead = BLANKS_AHEAD): boolean {
  const { native, tokenBytes, endToken } = model
  const mayEnd = endToken === undefined || native.canBeNext(state, endToken)
  if (ahead === BLANKS_AHEAD && !mayEnd) return false
  for (const byte of FIRST_BYTES) {
    const token = tokenBytes.ofByte(byte)
    if (token !== undefined && native.canBeNext(state, token)) return false
  }
  if (ahead === 0) return true
  return BLANKS.every((byte) => {
    const token = tokenBytes.ofByte(byte)
    if (token === undefined || !native.canBeNext(state, token)) return true
    const behind = native.cloneGrammarState(state)
    native.acceptToken(behind, token)
    return isComplete(behind, model, ahead - 1)
  })
}

/** Bytes that can begin a character other than a blank; printable ones first, as they are likelier. */
const FIRST_BYTES: readonly number[] = Array.from({ length: 256 }, (_, index) => (index + 33) % 256).filter(
  (byte) => !BLANKS.includes(byte) && byte !== 0 && (byte < 0x80 || (byte >= 0xc2 && byte <= 0xf4)),
)

interface Trigger {
  /** Text from the word on. */
  readonly withWord: Buffer
  /** Text after it. */
  readonly afterWord: Buffer
}

/** Searches for the first of some words in text that arrives as tokens, marks included. */
function createTriggerScan(
  words: readonly string[],
  tokenBytes: TokenBytes,
): { push(token: Token): Trigger | undefined } {
  const wanted = words.map((word) => Buffer.from(word))
  const longest = Math.max(...wanted.map(({ length }) => length))
  let tail = Buffer.alloc(0)
  return {
    push: (token) => {
      tail = Buffer.concat([tail, tokenBytes.of(token)])
      const [first] = wanted
        .map((word) => ({ word, at: tail.indexOf(word) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at)
      if (first !== undefined) {
        return { withWord: tail.subarray(first.at), afterWord: tail.subarray(first.at + first.word.length) }
      }
      tail = tail.subarray(Math.max(0, tail.length - longest + 1))
      return undefined
    },
  }
}
