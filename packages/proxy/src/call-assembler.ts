import { type Fields, isFields, toCount, toFields, toList, toText } from './fields.ts'
import { depthChange, isQuote } from './json-scan.ts'
import { brokenUpstream } from './upstream-error.ts'

/** A piece of a tool call, assigned to its call. */
export interface AssignedPiece {
  /** The number of the call, in the order in which the calls began. */
  readonly index: number
  /** Id and name; only in the first piece of a call. Ids are unique. */
  readonly opened?: { readonly id: string; readonly name: string } | undefined
  /** JSON text, or a part of it. */
  readonly arguments: string
}

/** Assigns the pieces of a stream to its calls. */
export interface CallAssembler {
  /** Calls that have begun. */
  readonly count: number
  /**
   * Takes the calls of one delta, the older `function_call` included.
   *
   * @param source the same arguments as the upstream wrote them, so that long numbers survive @throws {SvcError}
   *   `upstream_failed` for more than 1024 calls
   */
  take(delta: Fields, source?: ArgumentSource): AssignedPiece[]
  /** The numbers of calls whose arguments are empty so far. */
  listEmpty(): number[]
}

/**
 * Gives the arguments of the call at a place of the list in their source text. Asked only for arguments that are not
 * text.
 */
export type ArgumentSource = (place: number) => string | undefined

/** More calls than any real reply has. */
const MAX_CALLS = 1024
/** Longer arguments are never taken for a repetition. */
const MAX_COMPARED = 64 * 1024

interface Call {
  readonly number: number
  /** As the upstream gave it; may be empty. */
  givenId: string
  readonly name: string
  readonly shape: JsonShape
  /** The arguments, as long as they are short. */
  text: string
}

interface Piece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/**
 * Creates an assembler. Upstreams number the calls of a stream in many ways: all with the same index, without one, from
 * another start, with an id in each piece or in none. A new id or a new name begins a call; a piece without either
 * continues the call of its index, else the last one.
 */
export function createCallAssembler(): CallAssembler {
  const calls: Call[] = []
  const byIndex = new Map<number, Call>()
  const ids = new Set<string>()
  /** Id and arguments that came before the name of their call. */
  let early: Pick<Piece, 'id' | 'arguments'> = { id: '', arguments: '' }

  const find = ({ index, id, name }: Piece): Call | undefined => {
    const here = index === undefined ? undefined : byIndex.get(index)
    const known = id === '' || id === here?.givenId ? undefined : calls.findLast(({ givenId }) => givenId === id)
    if (name === '') return known ?? here ?? calls.at(-1)
    // A new index with a name is a new call, even where an upstream gives the same id to all.
    return index === undefined ? (known ?? calls.at(-1)) : here
  }

  const open = (piece: Piece): AssignedPiece => {
    if (calls.length >= MAX_CALLS) throw brokenUpstream('the upstream made too many calls')
    const givenId = piece.id || early.id
    const id = givenId === '' || ids.has(givenId) ? createCallId() : givenId
    const given = early.arguments + piece.arguments
    early = { id: '', arguments: '' }
    const { name, index } = piece
    const call: Call = { number: calls.length, givenId, name, shape: new JsonShape(), text: '' }
    calls.push(call)
    ids.add(id)
    if (index !== undefined) byIndex.set(index, call)
    return { index: call.number, opened: { id, name }, arguments: add(call, given) }
  }

  const assign = (piece: Piece): AssignedPiece[] => {
    const call = find(piece)
    if (call === undefined || begins(piece, call)) {
      if (piece.name !== '') return [open(piece)]
      early = { id: piece.id || early.id, arguments: early.arguments + piece.arguments }
      return []
    }
    call.givenId ||= piece.id
    if (piece.index !== undefined && !byIndex.has(piece.index)) byIndex.set(piece.index, call)
    if (repeats(piece, call) || piece.arguments === '') return []
    return [{ index: call.number, arguments: add(call, piece.arguments) }]
  }

  return {
    get count() {
      return calls.length
    },
    take(delta, source) {
      const list = listCalls(delta)
      // Without an index, pieces that came together belong to different calls.
      const place = (at: number): number | undefined => (list.length > 1 ? at : undefined)
      return list.flatMap((one, at) => {
        const piece = readPiece(one, () => source?.(at))
        return assign({ ...piece, index: piece.index ?? place(at) })
      })
    },
    listEmpty: () => calls.filter(({ shape }) => shape.isEmpty).map(({ number }) => number),
  }
}

/** A call of a whole reply. */
export interface WholeCall {
  /** Unique within the reply. */
  readonly id: string
  readonly name: string
  /** JSON text; `{}` for none. */
  readonly arguments: string
}

/** Reads the calls of a whole message, the older `function_call` included. Leaves out calls without a name. */
export function readWholeCalls(message: Fields, source?: ArgumentSource): WholeCall[] {
  const ids = new Set<string>()
  return listCalls(message).flatMap((one, at) => {
    const { id: givenId, name, arguments: given } = readPiece(one, () => source?.(at))
    if (name === '') return []
    const id = givenId === '' || ids.has(givenId) ? createCallId() : givenId
    ids.add(id)
    return { id, name, arguments: given.trim() === '' ? '{}' : given }
  })
}

function listCalls({ tool_calls: calls, function_call: legacy }: Fields): Fields[] {
  const list = toList(calls).map(toFields)
  return list.length === 0 && isFields(legacy) ? [{ function: legacy }] : list
}

/** Whether a piece begins a call, instead of continuing the call that it would belong to. */
function begins({ id, name, arguments: given }: Piece, call: Call): boolean {
  const isOtherId = id !== '' && call.givenId !== '' && id !== call.givenId
  // Some upstreams make a new id for each piece of one call; only the first piece has a name.
  if (name === '') return isOtherId && (given === '' || call.shape.isWhole)
  if (isOtherId || name !== call.name) return true
  return call.shape.isWhole && given.trimStart().startsWith('{') && !repeats({ id, arguments: given }, call)
}

/** Whether a piece is a whole call that has already come, under the same id. */
function repeats({ id, arguments: given }: Pick<Piece, 'id' | 'arguments'>, { givenId, text }: Call): boolean {
  return id !== '' && id === givenId && given !== '' && given === text && text.startsWith('{') && text.endsWith('}')
}

function add(call: Call, text: string): string {
  call.shape.push(text)
  if (call.text.length <= MAX_COMPARED) call.text += text
  return text
}

function readPiece({ index, id, function: called }: Fields, source?: () => string | undefined): Piece {
  const { name, arguments: given } = toFields(called)
  return {
    index: toCount(index),
    id: toText(id) ?? '',
    name: toText(name) ?? '',
    arguments: toArguments(given, source),
  }
}

/**
 * Converts the arguments of a call to JSON text. Some upstreams send the object itself, or an empty list for an empty
 * object.
 *
 * @param source gives the same value as the upstream wrote it
 */
function toArguments(given: unknown, source?: () => string | undefined): string {
  if (given == null) return ''
  if (typeof given === 'string') return given
  return Array.isArray(given) && given.length === 0 ? '{}' : (source?.() ?? JSON.stringify(given))
}

/** Creates an id for a call that its upstream gave none. */
function createCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
}

const BACKSLASH = 0x5c

/** Follows JSON text to its end without keeping it. */
class JsonShape {
  isEmpty = true
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasOpened = false

  /** Whether the text is one whole object or list. */
  get isWhole(): boolean {
    return this.#hasOpened && this.#depth === 0
  }

  push(text: string): void {
    if (this.isEmpty && text.trim() !== '') this.isEmpty = false
    for (let at = 0; at < text.length; at += 1) this.#step(text.charCodeAt(at))
  }

  #step(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (isQuote(code)) this.#isInString = !this.#isInString
    else if (this.#isInString) this.#isEscaped = code === BACKSLASH
    else {
      const change = depthChange(code)
      if (change > 0) this.#hasOpened = true
      this.#depth += change
    }
  }
}
