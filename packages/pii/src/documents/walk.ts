import { JsonError, type JsonMember, type JsonNode, parseJson } from '@svc/json'
import { toWellFormed } from '../well-formed.ts'
import { isMediaData, readBase64Text, readMediaText, type WrappedText } from './data-text.ts'
import { TOOL_CONTENT } from './message-shapes.ts'
import { findMedia, isToolParts } from './part-types.ts'
import { PUBLIC_KEYS, PUBLIC_VALUES } from './public-words.ts'
import type { Repair } from './rewrite.ts'
import {
  INTO_TEXT,
  type Layer,
  MessageTexts,
  type PathStep,
  type Place,
  TextSegment,
  toMemberStep,
  toPathText,
} from './segment.ts'
import { type Choice, type HistoryKind, type MediaKind, type Shape, type StringRule, TOOL_DATA } from './shape.ts'

/** Media in a request: found, not scanned. */
export interface MediaPart {
  readonly kind: MediaKind
  readonly path: string
}

/** A list of token ids: content that cannot be scanned. */
export interface TokenList {
  /** The array; its length is the number of ids. */
  readonly node: JsonNode
  readonly path: string
}

/** A reference of a request by id or tokens, which is not scanned (§6.3). */
export interface HistoryReference {
  readonly kind: HistoryKind
  readonly path: string
}

/** The reason to refuse a body that cannot be filtered. */
export interface ScanRefusal {
  /**
   * `case-twin`: a key equals a scanned one except for case, and some readers accept it for that one. `embedded-limit`:
   * JSON inside a string nests deeper, or holds more, than the limits allow.
   */
  readonly kind: 'case-twin' | 'embedded-limit'
  readonly path: string
}

/** JSON inside strings may nest deeper than a body: nothing here recurses into it. */
const EMBEDDED_LIMITS = { maxDepth: 1_000, maxNodes: 1_000_000 }
/** A role, a type, or a media type. */
const WORD = /^(?:[a-z][a-z0-9_]{0,63}|(?:text|image|audio|video|application)\/[a-z0-9.+-]{1,64})$/
/** Bytes in base64 of either alphabet. */
const OPAQUE = /^[A-Za-z0-9+/_-]*={0,2}$/
const encoder = new TextEncoder()

/** A container of the walk. */
interface Frame extends Place {
  readonly node: JsonNode
  readonly shape: Shape
  readonly layer: Layer
  readonly texts: MessageTexts
  readonly members: Iterator<JsonMember> | undefined
  readonly items: Iterator<JsonNode> | undefined
  count: number
  hasTokens: boolean
}

/** The place of a visited value. */
interface Position {
  readonly layer: Layer
  readonly texts: MessageTexts
  readonly parent: Place | undefined
  readonly step: PathStep
}

/** Reads a body token by token and keeps its texts. Does not recurse for any nesting. */
export class TextWalk {
  readonly texts = new MessageTexts()
  readonly layers: Layer[]
  readonly repairs: Repair[] = []
  readonly media: MediaPart[] = []
  readonly tokenLists: TokenList[] = []
  readonly history: HistoryReference[] = []
  refusal: ScanRefusal | undefined
  readonly #stack: Frame[] = []

  constructor(body: Layer) {
    this.layers = [body]
  }

  /** Reads a whole body; may end early with a refusal. */
  run(root: JsonNode, shape: Shape): void {
    const [layer] = this.layers
    if (layer === undefined) return
    this.#visit(root, shape, { layer, texts: this.texts, parent: undefined, step: '' })
    const stack = this.#stack
    for (let frame = stack.at(-1); frame !== undefined; frame = stack[stack.length - 1]) {
      if (this.refusal !== undefined) return
      if (frame.members === undefined) this.#nextItem(frame)
      else this.#nextMember(frame, frame.members)
    }
  }

  #nextItem(frame: Frame): void {
    const next = frame.items?.next()
    if (next === undefined || next.done) {
      this.#stack.pop()
      return
    }
    const { layer, texts } = frame
    this.#visit(next.value, frame.shape.items, { layer, texts, parent: frame, step: frame.count++ })
  }

  #nextMember(frame: Frame, members: Iterator<JsonMember>): void {
    const next = members.next()
    if (next.done) {
      this.#stack.pop()
      return
    }
    const { name, value } = next.value
    const { layer, texts, shape } = frame
    const count = frame.count++
    const known = shape.member(name)
    if (known === undefined) {
      const isPublic = shape.hasPublicKeys && PUBLIC_KEYS.has(name)
      const step = isPublic ? name : toMemberStep(count)
      if (shape.isTwin(name)) this.refusal = { kind: 'case-twin', path: toPathText({ parent: frame, step }) }
      if (!isPublic) this.#key(next.value.key, name, frame, step)
      this.#visit(value, shape.others, { layer, texts, parent: frame, step })
      return
    }
    if (known.media !== undefined) this.#noteMedia(known.media, value, { parent: frame, step: name })
    if (known.history !== undefined && value.kind !== 'null') {
      this.history.push({ kind: known.history, path: toPathText({ parent: frame, step: name }) })
    }
    this.#visit(value, known, { layer, texts, parent: frame, step: name })
  }

  #visit(node: JsonNode, shape: Shape, position: Position): void {
    switch (node.kind) {
      case 'string':
        this.#string(node, shape, position)
        return
      case 'number':
        this.#number(node, shape, position)
        return
      case 'object':
      case 'array':
        this.#enter(node, shape, position)
        return
      case 'boolean':
      case 'null':
    }
  }

  #enter(node: JsonNode, general: Shape, { layer: outer, texts: around, parent, step }: Position): void {
    let shape = general
    let layer = outer
    if (general.isEncoded) {
      if (isToolParts(node)) shape = TOOL_CONTENT
      else {
        layer = { document: node.document, outer: { layer: outer, node, kind: 'encoded-value' } }
        this.layers.push(layer)
        shape = TOOL_DATA
      }
    }
    const isObject = node.kind === 'object'
    if (isObject && shape.choices.length > 0) shape = chosenShape(node, shape.choices) ?? shape
    if (shape !== general && shape.history !== undefined) {
      this.history.push({ kind: shape.history, path: toPathText({ parent, step }) })
    }
    let texts = around
    if (shape.isMessage) {
      texts = new MessageTexts()
      around.rest.push(texts)
    }
    const members = isObject ? node.entries() : undefined
    const items = isObject ? undefined : node.items()
    this.#stack.push({ node, shape, layer, texts, members, items, parent, step, count: 0, hasTokens: false })
  }

  #key(node: JsonNode, name: string, frame: Frame, step: PathStep): void {
    const { layer, texts, node: object } = frame
    const text = this.#wellFormed(node, name, layer)
    if (text === '') return
    texts.rest.push(new TextSegment(text, 'key', { layer, node, place: { parent: frame, step }, object }))
  }

  #number(node: JsonNode, { numbers }: Shape, position: Position): void {
    if (numbers === 'skip') return
    const list = this.#stack.at(-1)
    if (numbers === 'tokens' && list?.items !== undefined) {
      if (!list.hasTokens) this.tokenLists.push({ node: list.node, path: toPathText(list) })
      list.hasTokens = true
      return
    }
    const { layer, texts, parent, step } = position
    texts.rest.push(new TextSegment(node.rawText(), 'number', { layer, node, place: { parent, step } }))
  }

  #string(node: JsonNode, { strings: rule, isMessage }: Shape, position: Position): void {
    if (rule === 'skip' && !node.hasLoneSurrogate) return
    const { layer, texts, parent, step } = position
    const text = this.#wellFormed(node, node.text(), layer)
    if (text === '' || this.#isLeftAlone(text, rule, position)) return
    const place = { parent, step }
    if ((rule === 'json' || rule === 'json-part') && mayBeJson(text) && this.#enterText(node, text, position)) return
    const wrapped = this.#unwrap(text, rule)
    if (wrapped?.isKnown === false) this.media.push({ kind: 'file', path: toPathText(place) })
    const origin = { layer, node, place, encode: wrapped?.encode }
    const segment = new TextSegment(wrapped?.text ?? text, rule === 'id' ? 'id' : 'value', origin)
    if (segment.text === '') return
    // A message that is one string has no parts.
    const isPart = (rule === 'part' || rule === 'json-part') && !isMessage && texts !== this.texts
    if (isPart) texts.parts.push(segment)
    else texts.rest.push(segment)
  }

  /** The text of a document that a string holds as bytes. */
  #unwrap(text: string, rule: StringRule): WrappedText | undefined {
    if (rule === 'media' || rule === 'bytes') return readMediaText(text)
    if (rule !== 'base64') return undefined
    const frame = this.#stack.at(-1)
    return readBase64Text(text, frame?.members === undefined ? [] : readTexts(frame.node, 'media_type'))
  }

  /** Whether the value lies in data that a provider has encrypted for itself. */
  #isSealed(): boolean {
    const frame = this.#stack.at(-1)
    return frame?.members !== undefined && readTexts(frame.node, 'type').includes('redacted_thinking')
  }

  #isLeftAlone(text: string, rule: StringRule, { parent, step }: Position): boolean {
    switch (rule) {
      case 'skip':
        return true
      case 'opaque':
        return OPAQUE.test(text)
      case 'word':
        return WORD.test(text)
      case 'type': {
        const kind = findMedia(text)
        if (kind !== undefined && parent !== undefined) this.media.push({ kind, path: toPathText(parent) })
        return WORD.test(text)
      }
      case 'option':
        return PUBLIC_VALUES.has(text)
      case 'media':
        return isMediaData(text)
      case 'bytes':
      case 'unknown': {
        const isMedia = isMediaData(text)
        if (isMedia && !this.#isSealed()) this.media.push({ kind: 'file', path: toPathText({ parent, step }) })
        return isMedia && rule === 'bytes'
      }
      default:
        return false
    }
  }

  /** Continues inside a string that is JSON text; false for any other string. */
  #enterText(node: JsonNode, text: string, { layer, texts, parent, step }: Position): boolean {
    try {
      const document = parseJson(encoder.encode(text), EMBEDDED_LIMITS)
      const inner: Layer = { document, outer: { layer, node, kind: 'text-of-string' } }
      this.layers.push(inner)
      this.#visit(document.root, TOOL_DATA, { layer: inner, texts, parent: { parent, step }, step: INTO_TEXT })
      return true
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      if (error.code === 'json_limit') this.refusal = { kind: 'embedded-limit', path: toPathText({ parent, step }) }
      return false
    }
  }

  #wellFormed(node: JsonNode, text: string, layer: Layer): string {
    if (!node.hasLoneSurrogate) return text
    const repaired = toWellFormed(text)
    this.repairs.push({ layer, node, text: repaired })
    return repaired
  }

  #noteMedia(kind: MediaKind, value: JsonNode, place: Place): void {
    if (value.kind === 'null' || value.kind === 'boolean' || (value.kind === 'array' && value.length === 0)) return
    this.media.push({ kind, path: toPathText(place) })
  }
}

function chosenShape(object: JsonNode, choices: readonly Choice[]): Shape | undefined {
  for (const { member, mustAgree = false, findShape } of choices) {
    let chosen: Shape | undefined
    let differs = false
    for (const value of object.getAll(member)) {
      const shape = value.kind === 'string' ? findShape(value.text()) : undefined
      chosen ??= shape
      differs ||= shape === undefined
    }
    if (chosen !== undefined && !(mustAgree && differs)) return chosen
  }
  return undefined
}

/** Reads the strings under a name, duplicates included. */
function readTexts(object: JsonNode, name: string): string[] {
  const texts: string[] = []
  for (const value of object.getAll(name)) if (value.kind === 'string') texts.push(value.text())
  return texts
}

/** Whether a text begins like an object, an array or a string of JSON. Other JSON reads the same as text. */
function mayBeJson(text: string): boolean {
  let at = 0
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++
  return at < text.length && '{["'.includes(text.charAt(at))
}
