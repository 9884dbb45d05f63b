/** The medium of a part; files are documents of any type. */
export type MediaKind = 'image' | 'audio' | 'video' | 'file'

/** A reference of a request to unscanned content elsewhere (§6.3). */
export type HistoryKind = 'previous_response_id' | 'conversation' | 'item_reference' | 'context'

/**
 * Rule for a string at a place of a format.
 *
 * | rule | meaning |
 * | --- | --- |
 * | `text` | scanned |
 * | `part` | scanned, as one of the parts of its message |
 * | `json`, `json-part` | the same, but JSON text is parsed, and its strings, keys and numbers are scanned |
 * | `skip` | not scanned: names of models |
 * | `id` | scanned for secrets, e-mail addresses and the operator's own patterns; numbers are not personal there |
 * | `opaque` | not scanned in the letters of base64: data that only its provider can read; anything else is scanned |
 * | `word` | not scanned when it is a word of a list, such as a role; anything else is scanned |
 * | `type` | like `word`; may name a kind of media |
 * | `option` | not scanned when it is one of the public words of options |
 * | `media` | not scanned when it is base64; an address or other text is scanned |
 * | `bytes` | like `media`, and recorded as a file when it is base64, because its kind is unknown |
 * | `unknown` | scanned, and recorded as a file when it is base64 |
 * | `base64` | text in base64: decoded and scanned |
 */
export type StringRule =
  | 'text'
  | 'part'
  | 'json'
  | 'json-part'
  | 'skip'
  | 'id'
  | 'opaque'
  | 'word'
  | 'type'
  | 'option'
  | 'media'
  | 'bytes'
  | 'unknown'
  | 'base64'

/** Differences of a shape from "strings and keys are scanned, numbers are not". */
interface ShapeOptions {
  /** @default 'text' */
  readonly strings?: StringRule
  /** Whether numbers are scanned as text, skipped, or are token ids in a list. @default 'skip' */
  readonly numbers?: 'text' | 'skip' | 'tokens'
  /** The shape of members without a name here. @default the same shape */
  readonly others?: Shape
  /** The shape of an array's items. @default the same shape */
  readonly items?: Shape
  /** Whether keys that are public words of the formats are not scanned. */
  readonly hasPublicKeys?: boolean
  /** Whether no reader accepts a key that differs in case for a member: all members are scanned alike. */
  readonly allowsTwins?: boolean
  /** Whether the strings below are parts of one message. */
  readonly isMessage?: boolean
  /** Whether a value other than a string is scanned as its JSON encoding, and written back as a string once masked. */
  readonly isEncoded?: boolean
  readonly media?: MediaKind
  readonly history?: HistoryKind
  /** More specific shapes for an object: the first choice that applies. @default none */
  readonly choices?: readonly Choice[]
}

/** A more specific shape for an object, by the texts under one of its names. */
export interface Choice {
  readonly member: string
  /** Whether all texts must lead to the same shape. @default false */
  readonly mustAgree?: boolean
  readonly findShape: (text: string) => Shape | undefined
}

/** The known structure of the values at one place of a format. All other values are walked and scanned. */
export class Shape {
  readonly strings: StringRule
  readonly numbers: 'text' | 'skip' | 'tokens'
  readonly items: Shape
  readonly hasPublicKeys: boolean
  readonly isMessage: boolean
  readonly isEncoded: boolean
  readonly media: MediaKind | undefined
  readonly history: HistoryKind | undefined
  readonly choices: readonly Choice[]
  readonly #allowsTwins: boolean
  readonly #others: Shape | undefined
  readonly #members = new Map<string, Shape>()
  readonly #foldedNames = new Set<string>()

  constructor(options: ShapeOptions = {}) {
    this.strings = options.strings ?? 'text'
    this.numbers = options.numbers ?? 'skip'
    this.items = options.items ?? this
    this.hasPublicKeys = options.hasPublicKeys ?? false
    this.isMessage = options.isMessage ?? false
    this.isEncoded = options.isEncoded ?? false
    this.media = options.media
    this.history = options.history
    this.choices = options.choices ?? []
    this.#allowsTwins = options.allowsTwins ?? false
    this.#others = options.others
  }

  /** Names members. Call it once the shapes of the members exist, because shapes can be recursive. */
  name(members: Readonly<Record<string, Shape>>): this {
    for (const [name, member] of Object.entries(members)) {
      this.#members.set(name, member)
      this.#foldedNames.add(foldCase(name))
    }
    return this
  }

  /** The shape of a named member. */
  member(name: string): Shape | undefined {
    return this.#members.get(name)
  }

  /** The shape of members without a name here. */
  get others(): Shape {
    return this.#others ?? this
  }

  /** Whether a key outside of the members equals one except for case: some readers would accept it for the member. */
  isTwin(name: string): boolean {
    return !this.#allowsTwins && this.#foldedNames.size > 0 && this.#foldedNames.has(foldCase(name))
  }
}

/** Case folding keeps these unchanged. */
const FOLDED = /^[a-z0-9_]*$/

/** Folds case by Unicode, as readers do that accept `Content` for `content`: the long s is an s. */
function foldCase(name: string): string {
  return FOLDED.test(name) ? name : name.toUpperCase().toLowerCase()
}

/** Strings and keys are scanned: unknown options. */
export const ANY_OPTION = new Shape()

/** Strings, keys and numbers are scanned: unknown members of a message. */
export const ANY_CONTENT = new Shape({ numbers: 'text' })

/** The same, and JSON in strings is parsed: inputs and outputs of tools. */
export const TOOL_DATA = new Shape({ strings: 'json', numbers: 'text' })
