import type { BuiltinName } from '../pattern/builtin-names.ts'
import type { Span } from '../span.ts'

/** The private part of a match: all of it, or the part behind a name, a user or another word. */
export type SecretPart = 'value' | 'last-value' | 'word' | 'password'

/** A further check of the private part: it looks random, or it looks like a chosen password. */
export type SecretCheck = 'random' | 'password'

/** One kind of secret, as data. */
export interface SecretKind {
  /** The neutral name, as configurations write it. */
  readonly name: BuiltinName
  /** Other names that configurations may use. */
  readonly aliases?: readonly BuiltinName[]
  /** The group that matches are reported under. */
  readonly group: string
  /** Other names of the group that `entity_actions` may use. */
  readonly groupAliases?: readonly string[]
  /** The form, in the grammar of patterns. */
  readonly pattern: string
  /** A fixed text of the pattern, by which matches are found: the rest is checked only near it. */
  readonly anchor: string
  /** Whether the length is fixed, so that a longer text is not such a secret. */
  readonly isExact?: boolean
  /** Whether it may follow a letter, a digit, `-` or `_`. */
  readonly isAnywhere?: boolean
  /**
   * Finds the private part behind or before a match, which is a label. Reads a bounded range around it. Without it the
   * private part lies in the match.
   */
  readonly read?: ((text: string, label: Span) => Span | undefined) | undefined
  /** @default all of the match */
  readonly part?: SecretPart
  readonly check?: SecretCheck
  /** Whether stand-ins of documents, such as `EXAMPLE` and `XXXXXXXX`, do not count. @default true */
  readonly isPlaceholderChecked?: boolean
  /** A text of this form, which was never valid. */
  readonly example: string
  /** The public description of the form. */
  readonly source: string
}
