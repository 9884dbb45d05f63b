/** What a media part shows; files are documents of any type. */
export type MediaKind = 'image' | 'audio' | 'video' | 'file'

/** What a request refers to that lies elsewhere and is not scanned (§6.3). */
export type HistoryKind = 'previous_response_id' | 'conversation' | 'item_reference' | 'context'

/**
 * What becomes of a string at a place of a format.
 *
 * | rule | |
 * |---|---|
 * | `text` | scanned |
 * | `part` | scanned, and one of the parts of its message |
 * | `json`, `json-part` | the same, but JSON text is taken apart and its strings, keys and numbers are scanned |
 * | `skip` | left alone: names of models |
 * | `id` | scanned for secrets, e-mail addresses and patterns of the operator's own; numbers are none of anybody there |
 * | `opaque` | left alone in the letters of base64: what only its maker can read; anything else is scanned |
 * | `word` | left alone when it is a word of a list, such as a role; anything else is scanned |
 * | `type` | as `word`; may name a kind of media |
 * | `option` | left alone when it is one of the public words of options |
 * | `media` | left alone when it is base64; an address or other text is scanned |
 * | `bytes` | as `media`, and noted as a file where it is base64: nobody says of what kind it is |
 * | `unknown` | scanned, and noted as a file where it is base64 |
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

/** How a shape differs from "strings and keys are scanned, numbers are not". */
interface ShapeOptions {
  /** @default 'text' */
  readonly strings?: StringRule
  /** Whether numbers are scanned as text, left alone, or are the ids of tokens where they stand in a list. @default 'skip' */
  readonly numbers?: 'text' | 'skip' | 'tokens'
  /** What holds for members that are not named. @default the same shape */
  readonly others?: Shape
  /** What holds for the items of an array. @default the same shape */
  readonly items?: Shape
  /** Whether keys that are public words of the formats are left unscanned beside the members. */
  readonly hasPublicKeys?: boolean
  /** Whether no reader takes a key for a member that differs in case: all members are scanned alike. */
  readonly allowsTwins?: boolean
  /** Whether the strings below are parts of one message. */
  readonly isMessage?: boolean
  /** Whether a value that is no string is scanned as its JSON encoding, and written back as a string once masked. */
  readonly isEncoded?: boolean
  readonly media?: MediaKind
  readonly history?: HistoryKind
  /** Closer shapes for an object: the first choice that has one. @default none */
  readonly choices?: readonly Choice[]
}

/** A closer shape for an object, where any of the texts under a name has one. */
export interface Choice {
  readonly member: string
  /** Whether all of them must have the same. @default false */
  readonly mustAgree?: boolean
  readonly shapeOf: (text: string) => Shape | undefined
}

/** What is known of the values at one place of a format. Whatever it does not name is walked and scanned. */
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

  /** Names members; may be called once the shapes of the members exist, as shapes hold each other. */
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

  /** What holds for members that are not named. */
  get others(): Shape {
    return this.#others ?? this
  }

  /** Whether a key that is no member equals one but for case: some readers would take it for the member. */
  isTwin(name: string): boolean {
    return !this.#allowsTwins && this.#foldedNames.size > 0 && this.#foldedNames.has(foldCase(name))
  }
}

/** Folding leaves these as they are. */
const FOLDED = /^[a-z0-9_]*$/

/** Folds case by Unicode, as the readers do that take `Content` for `content`: the long s is an s. */
function foldCase(name: string): string {
  return FOLDED.test(name) ? name : name.toUpperCase().toLowerCase()
}

/** Strings and keys are scanned: options nobody here knows. */
export const ANY_OPTION = new Shape()

/** Strings, keys and numbers are scanned: what a message holds that its format does not know. */
export const ANY_CONTENT = new Shape({ numbers: 'text' })

/** The same, and JSON in strings is taken apart: what tools are given and give. */
export const TOOL_DATA = new Shape({ strings: 'json', numbers: 'text' })
