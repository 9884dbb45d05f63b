import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import { checkGrammarBounds } from './grammar-bounds.ts'
import type { Native, NativeGrammar, NativeGrammarState } from './native.ts'
import type { TokenBytes } from './token-bytes.ts'

/** A grammar on its way through one answer. */
export interface GrammarGuide {
  /** Where the grammar stands; nothing while it still waits for a trigger. */
  readonly state: NativeGrammarState | undefined
  /** Whether the text is whole and nothing but blanks could follow. */
  readonly complete: boolean
  /** Whether a token may come next. */
  allows(token: Token): boolean
  /** Goes past a token that was chosen. */
  accept(token: Token): void
  /** Notes a token that the engine itself has taken past {@link state}. */
  note(token: Token): void
}

/** What a grammar is applied with. */
export interface GrammarModel {
  readonly native: Native
  readonly tokenBytes: TokenBytes
  /** Any token that ends a generation. */
  readonly endToken: Token | undefined
}

/** What a request says of its grammar. */
export interface GrammarRequest {
  /** In the dialect of llama.cpp (GBNF), with a rule `root`. */
  readonly text: string
  /** Words of which one must appear before the grammar begins; none: it begins at once. */
  readonly triggers: readonly string[]
}

const BLANKS = [0x20, 0x0a, 0x09, 0x0d]
/** Blanks that are tried before something else: further ones are taken for the end. */
const BLANKS_AHEAD = 2

/** A grammar from its beginning. @throws LlamaError `invalid_request` where it cannot be read */
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
    // A grammar may begin with the word itself or with what comes after it.
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

/** A state behind these bytes, or nothing where the grammar does not allow them. */
function feed(state: NativeGrammarState, bytes: Buffer, model: GrammarModel): NativeGrammarState | undefined {
  for (const byte of bytes) {
    const token = model.tokenBytes.ofByte(byte)
    if (token === undefined || !model.native.canBeNext(state, token)) return undefined
    model.native.acceptToken(state, token)
  }
  return state
}

/**
 * Whether the text is whole. Models like to go on with line ends where a grammar allows blanks at its end, so blanks
 * alone do not count as going on, unless something else can come behind one or two of them.
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
  /** Text behind it. */
  readonly afterWord: Buffer
}

/** Looks for the first of some words in a text that comes in tokens, marks included. */
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
