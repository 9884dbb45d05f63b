import type { Span } from '../../span.ts'
import { isAlphanumeric, isDigit, isSeparator } from './characters.ts'
import { type Context, ContextReader, contextIndex } from './context.ts'

/** Most digits that are read of one number. */
const MOST_DIGITS = 24
/** Most groups that are read of one number. */
const MOST_GROUPS = 12
/** Marks in a row between two groups of one number. */
const MOST_SEPARATORS = 2
/** Code units of the shortest value that a label may follow. */
const SHORTEST_BEFORE_LABEL = 7

/** Separators between two groups of digits. */
export type Separator = 'blank' | 'line' | 'hyphen' | '.' | '/' | '_'

/** A group of digits with the separator before it. */
export interface DigitGroup extends Span {
  readonly separator: Separator | undefined
}

/**
 * A word with digits in a text, or the `@` of an address. It keeps facts that several kinds ask for: the groups of
 * digits that follow, and the announcing words before. One object serves a whole search.
 */
export class Candidate {
  readonly text: string
  /** The range of the word. */
  start = 0
  end = 0
  /** The code units on both sides; NaN at the edges of the text. */
  before = Number.NaN
  after = Number.NaN
  private reader: ContextReader | undefined
  private readonly starts = new Int32Array(MOST_GROUPS)
  private readonly ends = new Int32Array(MOST_GROUPS)
  private groupCount = -1
  private sums = 0
  private listed: DigitGroup[] | undefined
  private named: boolean | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Made for the first candidate that asks for words. */
  private get context(): ContextReader {
    this.reader ??= new ContextReader(this.text)
    return this.reader
  }

  moveTo(start: number, end: number): void {
    this.start = start
    this.end = end
    this.before = this.text.charCodeAt(start - 1)
    this.after = this.text.charCodeAt(end)
    this.groupCount = -1
    this.listed = undefined
    this.named = undefined
  }

  /** The word. */
  get word(): string {
    return this.text.slice(this.start, this.end)
  }

  /** Whether a word that announces any kind is shortly before the candidate. */
  get isAnnouncedAtAll(): boolean {
    return this.context.isAnnouncedAtAll(this.start)
  }

  /** Whether a word that announces a kind is shortly before the candidate. */
  isAnnounced(kind: Context): boolean {
    return this.context.isAnnounced(contextIndex(kind), this.start)
  }

  /** {@link isAnnounced} by the number of the kind. */
  isAnnouncedBy(kind: number): boolean {
    return this.context.isAnnounced(kind, this.start)
  }

  /** Whether a word that announces a kind is shortly before the candidate, or labels its number from behind. */
  isNamed(kind: Context): boolean {
    const index = contextIndex(kind)
    return this.context.isAnnounced(index, this.start) || this.isNamedBehind(index)
  }

  /** Whether a label of a kind is directly before or behind a range. */
  isLabelBeside(kind: number, { start, end }: Span): boolean {
    return this.context.isLabelDirectlyBefore(kind, start) || this.context.isLabelDirectlyBehind(kind, end)
  }

  /** Whether any announcing word is shortly before the candidate, or any label is behind it. */
  get isNamedAtAll(): boolean {
    this.named ??= this.readNames()
    return this.named
  }

  private readNames(): boolean {
    if (this.context.isAnnouncedAtAll(this.start)) return true
    if (this.isShortAndAlone) return false
    const end = this.runEnd
    return end - this.start >= SHORTEST_BEFORE_LABEL && this.context.hasLabelBehind(end)
  }

  /** Whether the word is too short for a label behind it, and no more digits follow. */
  private get isShortAndAlone(): boolean {
    return this.end - this.start < SHORTEST_BEFORE_LABEL && !this.hasDigitBehind
  }

  /** Whether a digit is where the next group would begin. */
  private get hasDigitBehind(): boolean {
    const { text, end } = this
    return isDigit(text.charCodeAt(end + 1)) || isDigit(text.charCodeAt(end + 2))
  }

  /** Whether a label of a kind is directly behind the candidate, which is long enough for one to be looked for. */
  isNamedBehind(kind: number): boolean {
    const end = this.runEnd
    return end - this.start >= SHORTEST_BEFORE_LABEL && this.context.isLabelDirectlyBehind(kind, end)
  }

  /** Whether a label of a kind is directly behind an offset. */
  isLabelBehind(kind: number, end: number): boolean {
    return this.context.isLabelDirectlyBehind(kind, end)
  }

  /** The end of the groups of digits that begin with the word; the end of another word. */
  get runEnd(): number {
    if (!isDigit(this.text.charCodeAt(this.start))) return this.end
    if (this.groupCount < 0) this.readGroups()
    return this.groupCount === 0 ? this.end : (this.ends[this.groupCount - 1] ?? this.end)
  }

  /** Whether such a word is directly before the candidate, with little between. */
  isLabelled(kind: Context): boolean {
    return this.context.isLabelled(contextIndex(kind), this.start)
  }

  /** The numbers of digits that the first groups have together: bit n for n digits. The word has digits only. */
  get digitSums(): number {
    if (this.groupCount < 0) {
      const length = this.end - this.start
      if (length <= MOST_DIGITS && !this.hasDigitBehind) return 1 << length
      this.readGroups()
    }
    return this.sums
  }

  /** The groups of digits that begin with the word. The word has only digits. */
  get groups(): readonly DigitGroup[] {
    if (this.groupCount < 0) this.readGroups()
    this.listed ??= Array.from({ length: this.groupCount }, (_, index) => {
      const before = index === 0 ? undefined : nameSeparator(this.text.charCodeAt(this.ends[index - 1] ?? 0))
      return { start: this.starts[index] ?? 0, end: this.ends[index] ?? 0, separator: before }
    })
    return this.listed
  }

  /** Whether the word follows a decimal point or is a later part of a longer id. */
  get isPart(): boolean {
    const { before } = this
    if (before === 0x5f) return true
    return (before === 0x2e || before === 0x2d) && isDigit(this.text.charCodeAt(this.start - 2))
  }

  /** Whether a later part of a longer id or number follows an offset. */
  isBeforePart(end: number): boolean {
    const unit = this.text.charCodeAt(end)
    if (unit === 0x5f) return true
    return (unit === 0x2e || unit === 0x2d) && isDigit(this.text.charCodeAt(end + 1))
  }

  private readGroups(): void {
    const { text, starts, ends } = this
    let count = 0
    let digits = 0
    let position = this.start
    this.sums = 0
    while (count < MOST_GROUPS) {
      const start = position
      while (isDigit(text.charCodeAt(position)) && digits + position - start <= MOST_DIGITS) position++
      digits += position - start
      if (position === start || digits > MOST_DIGITS || isAlphanumeric(text.charCodeAt(position))) break
      starts[count] = start
      ends[count++] = position
      this.sums |= 1 << digits
      const after = skipSeparators(text, position)
      if (after === position) break
      position = after
    }
    this.groupCount = count
  }
}

function skipSeparators(text: string, from: number): number {
  const unit = text.charCodeAt(from)
  if (unit === 0x2e || unit === 0x2f || unit === 0x5f) return from + 1
  let position = from
  while (position - from < MOST_SEPARATORS && isSeparator(text.charCodeAt(position))) position++
  return position
}

function nameSeparator(unit: number): Separator {
  if (unit === 0x2e) return '.'
  if (unit === 0x2f) return '/'
  if (unit === 0x5f) return '_'
  if (unit === 0x0a || unit === 0x0d) return 'line'
  const isBlank = unit <= 0x20 || unit === 0xa0 || unit === 0x202f || (unit >= 0x2000 && unit <= 0x200f)
  return isBlank ? 'blank' : 'hyphen'
}

/** A number of exactly some digits, with its groups. */
export interface GroupedNumber extends Span {
  readonly digits: string
  readonly groups: readonly DigitGroup[]
}

/** Joins the first groups of a candidate; the longest number of `least` to `most` digits first. */
export function listNumbers(candidate: Candidate, least: number, most: number): GroupedNumber[] {
  const numbers: GroupedNumber[] = []
  let digits = ''
  for (const [index, group] of candidate.groups.entries()) {
    digits += candidate.text.slice(group.start, group.end)
    if (digits.length > most) break
    if (digits.length < least) continue
    const groups = candidate.groups.slice(0, index + 1)
    numbers.unshift({ start: candidate.start, end: group.end, digits, groups })
  }
  return numbers
}

/** The sizes of groups, such as `3-2-4`. */
export function formatSizes(groups: readonly Span[]): string {
  return groups.map(({ start, end }) => end - start).join('-')
}
