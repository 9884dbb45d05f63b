import type { Span } from '../../span.ts'
import { Candidate } from './candidate.ts'
import { type Context, contextIndex } from './context.ts'
import { type Lengths, MARKS, type StructuredKind } from './kind.ts'

/** A search for structured texts, done in pieces. */
export interface SetSearch {
  /** Does a piece of the work; true at the end. */
  advance(): boolean
  /** Whether no kind has found anything so far. */
  isEmpty(): boolean
  /** The findings of the kind at an index: ascending, never overlapping. Complete after `advance` returned true. */
  found(kind: number): readonly Span[]
  /** The same for findings that only their label and form speak for. They may overlap with those of other kinds. */
  foundUnchecked(kind: number): readonly Span[]
}

/** The findings of a search, by kind, as far as there are any. */
interface Finds {
  readonly checked: (Span[] | undefined)[]
  readonly unchecked: (Span[] | undefined)[]
  isEmpty: boolean
}

/** How far a text is read. */
interface Reading {
  at: number
  /** Code units of the next piece. */
  units: number
  /** Up to here the text is not taken for plain ASCII. */
  notPlainTo: number
}

const NO_SPANS: readonly Span[] = []

/** Code units in one piece. */
const PIECE_UNITS = 1 << 12
/** Code units in one piece of a text that is not plain ASCII: most of its pieces still are. */
const SMALL_PIECE_UNITS = 512
/** Code units behind such a piece that is not plain, in which the next ones are not taken for plain either. */
const NOT_PLAIN_UNITS = 1 << 12
/** Words above this length are not of any kind. */
const LONGEST_WORD = 128
const NO_CONTEXT = -1
const NO_LABELS: readonly number[] = []

const SMALL_D = 0x64
const SMALL_O = 0x6f
const SMALL_T = 0x74

const OTHER = 0
const SMALL = 1
const CAPITAL = 2
const DIGIT = 3
const AT = 4
const PERCENT = 5

/** The role of each ASCII character in the search. Other characters have no role. */
const ROLES = new Uint8Array(256)
ROLES.fill(DIGIT, 0x30, 0x3a)
ROLES.fill(CAPITAL, 0x41, 0x5b)
ROLES.fill(SMALL, 0x61, 0x7b)
ROLES[0x40] = AT
ROLES[0x25] = PERCENT

/** Characters that a text beyond ASCII is searched for. */
const STOPS = Uint8Array.from(ROLES.subarray(0, 128), (role, unit) => (role >= CAPITAL || unit === SMALL_D ? 1 : 0))

/** Whether a candidate may be at a pair of bytes: at one of them, or because both are capitals. */
const PAIRS = Uint8Array.from({ length: 1 << 16 }, (_, pair) => {
  const [one = 0, other = 0] = [ROLES[pair & 0xff], ROLES[pair >> 8]]
  return one >= DIGIT || other >= DIGIT || (one === CAPITAL && other === CAPITAL) ? 1 : 0
})
/** The pairs of the word `dot`, by the place that it begins at. */
const DOT_PAIR = 2
for (const pair of ['do', 'ot']) PAIRS[pair.charCodeAt(0) | (pair.charCodeAt(1) << 8)] = DOT_PAIR

/** The kinds that a word may belong to. */
interface Possible {
  /** Kinds of a fixed number of digits, with a bit for each of the numbers. */
  readonly summed: readonly number[]
  readonly sums: number
  /** The same kinds that a word must announce. */
  readonly named: readonly number[]
  readonly namedSums: number
  /** Kinds that a word must announce. */
  readonly announced: readonly number[]
  readonly others: readonly number[]
  /** Whether an announcing word or a label has an effect on any of the kinds. */
  readonly asksForNames: boolean
  /** Of the others, those that fit between two marks, by {@link placeOf}: as far as they were asked for. */
  readonly fitting: (readonly number[] | undefined)[]
}

/** The number of a mark: 0 for other characters of ASCII. */
const MARK_NUMBERS = new Uint8Array(128)
for (const [index, mark] of [...MARKS].entries()) MARK_NUMBERS[mark.charCodeAt(0)] = index + 1
const MARK_BITS = 4
const FIRSTS = ['letter', 'zero', 'other digit'] as const
/** At the place of a character beyond ASCII, any kind may fit. */
const ANY_PLACE = -1

/** Kinds by the length of a word. */
type ByLength = readonly (Possible | undefined)[]

/**
 * Searches for several kinds in one pass. It stops only at digits, at two capitals in a row and at `@` (also as `%40`);
 * the word around such a place is checked only for the kinds that a word of its length and characters may belong to.
 */
export class StructuredSet {
  private readonly kinds: readonly StructuredKind[]
  private readonly numbers: ByLength
  private readonly mixed: ByLength
  private readonly capitals: ByLength
  private readonly atSigns: Possible
  private readonly dots: Possible
  /** By kind: a bit for each allowed number of digits. */
  private readonly digits: Int32Array
  /** By kind: the number of its announcing words. */
  private readonly contexts: Int32Array
  /** By kind: the numbers of its labels. */
  private readonly labels: readonly (readonly number[])[]
  private readonly bytes = new Uint8Array(PIECE_UNITS * 3 + 2)
  private readonly pairs = new Uint16Array(this.bytes.buffer)
  private readonly encoder = new TextEncoder()
  /** Whether the text is plain ASCII. */
  private isPlain = false

  constructor(kinds: readonly StructuredKind[]) {
    this.kinds = kinds
    this.numbers = byLength(kinds, ({ numbers }) => numbers)
    this.mixed = byLength(kinds, ({ mixed }) => mixed)
    this.capitals = byLength(kinds, ({ capitals }) => capitals)
    this.atSigns = sortKinds(kinds, ({ atSigns }) => atSigns === true)
    this.dots = sortKinds(kinds, ({ dots }) => dots === true)
    this.digits = Int32Array.from(kinds, ({ digits }) => (digits === undefined ? 0 : toBits(digits)))
    this.contexts = Int32Array.from(kinds, ({ announcedBy }) => indexOf(announcedBy))
    this.labels = kinds.map(({ labelledBy, announcedBy, findUnchecked }) => {
      if (findUnchecked === undefined) return NO_LABELS
      const labels = [...new Set([indexOf(announcedBy), indexOf(labelledBy)])].filter((label) => label !== NO_CONTEXT)
      return labels.length === 0 ? NO_LABELS : labels
    })
  }

  /** Prepares a search, which runs with `advance`. */
  scan(text: string): SetSearch {
    const candidate = new Candidate(text)
    const { length } = this.kinds
    const finds: Finds = {
      checked: new Array(length).fill(undefined),
      unchecked: new Array(length).fill(undefined),
      isEmpty: true,
    }
    const reading: Reading = { at: 0, units: PIECE_UNITS, notPlainTo: 0 }
    return {
      advance: () => {
        const to = Math.min(text.length, reading.at + PIECE_UNITS)
        while (reading.at < to) this.readPiece(candidate, reading, to, finds)
        return reading.at >= text.length
      },
      isEmpty: () => finds.isEmpty,
      found: (kind) => finds.checked[kind] ?? NO_SPANS,
      foundUnchecked: (kind) => finds.unchecked[kind] ?? NO_SPANS,
    }
  }

  /** Reads the next piece up to a limit; the first one that is not plain is cut smaller. */
  private readPiece(candidate: Candidate, reading: Reading, limit: number, finds: Finds): void {
    const { at, units } = reading
    const to = Math.min(limit, at + units)
    this.isPlain = at >= reading.notPlainTo && this.encode(candidate.text, at, to)
    if (!this.isPlain && units > SMALL_PIECE_UNITS) {
      reading.units = SMALL_PIECE_UNITS
      return
    }
    if (!this.isPlain && at >= reading.notPlainTo) reading.notPlainTo = at + NOT_PLAIN_UNITS
    reading.at = this.scanPiece(candidate, at, to, finds)
  }

  /** Reads a piece of the text as bytes. @returns whether it is plain ASCII: two characters are two bytes */
  private encode(text: string, from: number, to: number): boolean {
    const { written } = this.encoder.encodeInto(text.slice(from, to), this.bytes)
    this.bytes[written] = 0
    return written === to - from
  }

  private scanPiece(candidate: Candidate, from: number, to: number, finds: Finds): number {
    const { text } = candidate
    let at = from
    while (at < to) {
      at = this.isPlain ? this.nextPair(at - from, to - from) + from : nextStop(text, at, to)
      const role = roleAt(text, at)
      if (role < CAPITAL) {
        // Most letters are others.
        if (role === SMALL && (text.charCodeAt(at) === SMALL_D || this.isPlain)) this.tryDot(candidate, at, finds)
        at++
      } else if (role >= AT) {
        const width = role === AT ? 1 : encodedAtWidth(text, at)
        if (width > 0) {
          candidate.moveTo(at, at + width)
          this.tryKinds(candidate, this.atSigns, finds)
        }
        at++
      } else if (role === DIGIT || roleAt(text, at + 1) === CAPITAL) at = this.scanWord(candidate, at, finds)
      else at++
    }
    return at
  }

  /** Checks the word `dot` that has its `d` or its `o` at an offset, each in texts of its own. */
  private tryDot(candidate: Candidate, at: number, finds: Finds): void {
    const { text } = candidate
    const unit = text.charCodeAt(at)
    const start = unit === SMALL_D ? at : unit === SMALL_O && this.isPlain ? at - 1 : -1
    if (start < 0 || !text.startsWith('dot', start) || this.dots.others.length === 0) return
    candidate.moveTo(start, start + 3)
    this.tryKinds(candidate, this.dots, finds)
  }

  /** The first byte from an offset on that may belong to a candidate, or the one before it. */
  private nextPair(from: number, limit: number): number {
    const { pairs } = this
    if (from % 2 === 1 && isStop(this.bytes[from] ?? 0)) return from
    const last = (limit + 1) >> 1
    for (let index = (from + 1) >> 1; index < last; index++) {
      const flag = PAIRS[pairs[index] ?? 0]
      if (flag === 1 || (flag === DOT_PAIR && this.mayBeDot(index * 2, limit))) return index * 2
    }
    return limit
  }

  /** Whether two bytes of `dot` have the third one beside them, or an edge of the piece. */
  private mayBeDot(at: number, limit: number): boolean {
    const { bytes } = this
    if (bytes[at] === SMALL_D) return at + 2 >= limit || bytes[at + 2] === SMALL_T
    return at === 0 || bytes[at - 1] === SMALL_D
  }

  /** Checks the word around an offset. @returns the end of the word */
  private scanWord(candidate: Candidate, at: number, finds: Finds): number {
    const { text } = candidate
    let start = at
    let isNumber = roleAt(text, at) === DIGIT
    let isCapital = !isNumber
    for (let role = roleBefore(text, start); isWordRole(role); role = roleBefore(text, start)) {
      start--
      isNumber = false
      isCapital &&= role === CAPITAL
      if (at - start > LONGEST_WORD) break
    }
    let end = at + 1
    for (let role = roleAt(text, end); isWordRole(role); role = roleAt(text, ++end)) {
      isNumber &&= role === DIGIT
      isCapital &&= role === CAPITAL
    }
    const length = end - start
    if (length > LONGEST_WORD) return end
    const kinds = isNumber ? this.numbers : isCapital ? this.capitals : this.mixed
    const possible = kinds[length]
    if (possible !== undefined) {
      candidate.moveTo(start, end)
      if (isNumber && length === YEAR_DIGITS) {
        const stampEnd = timestampEnd(text, start)
        if (stampEnd > end && !candidate.isNamedAtAll) return stampEnd
      }
      this.tryKinds(candidate, possible, finds, isNumber)
    }
    return end
  }

  private tryKinds(candidate: Candidate, possible: Possible, finds: Finds, isNumber = false): void {
    const { summed, sums, asksForNames } = possible
    if (summed.length > 0 && (!isNumber || (candidate.digitSums & sums) !== 0)) {
      for (const index of summed) {
        if (isNumber && (candidate.digitSums & (this.digits[index] ?? 0)) === 0) continue
        this.tryKind(candidate, index, finds)
      }
    }
    if (asksForNames && candidate.isNamedAtAll) this.tryNamed(candidate, possible, finds, isNumber)
    else for (const index of this.listFitting(candidate, possible, isNumber)) this.tryKind(candidate, index, finds)
  }

  /** Checks a candidate that a word announces or labels. */
  private tryNamed(candidate: Candidate, possible: Possible, finds: Finds, isNumber: boolean): void {
    const { named, namedSums, announced, others } = possible
    if (named.length > 0 && (!isNumber || (candidate.digitSums & namedSums) !== 0)) {
      for (const index of named) {
        if (isNumber && (candidate.digitSums & (this.digits[index] ?? 0)) === 0) continue
        if (this.isAnnounced(candidate, index)) this.tryKind(candidate, index, finds)
      }
    }
    for (const index of announced) {
      if (this.isAnnounced(candidate, index)) this.tryKind(candidate, index, finds)
      else if (this.kinds[index]?.labelledBy !== undefined) this.tryLabel(candidate, index, finds)
    }
    for (const index of others) this.tryKind(candidate, index, finds)
  }

  /** The other kinds that may be between the characters on both sides of a word without a label. */
  private listFitting(candidate: Candidate, { others, fitting }: Possible, isNumber: boolean): readonly number[] {
    const place = placeOf(candidate)
    if (place === ANY_PLACE || others.length === 0) return others
    const known = fitting[place]
    if (known !== undefined) return known
    const { text, start, end, before, after } = candidate
    const around = {
      length: end - start,
      isNumber,
      first: FIRSTS[firstAt(text, start)] ?? 'letter',
      before: isListed(before) ? before : 0,
      after: isListed(after) ? after : 0,
    }
    const listed = others.filter((index) => this.kinds[index]?.fits?.(around) !== false)
    fitting[place] = listed
    return listed
  }

  private isAnnounced(candidate: Candidate, index: number): boolean {
    const context = this.contexts[index] ?? NO_CONTEXT
    return context === NO_CONTEXT || candidate.isAnnouncedBy(context) || candidate.isNamedBehind(context)
  }

  private tryKind(candidate: Candidate, index: number, finds: Finds): void {
    const last = lastEnd(finds.checked[index])
    // A word inside of the last finding belongs to it.
    if (candidate.start < last) return
    const found = this.kinds[index]?.find(candidate)
    if (found === undefined) {
      if (this.labels[index] !== NO_LABELS && candidate.isNamedAtAll) this.tryLabel(candidate, index, finds)
    } else if (found.start >= last) push(finds, finds.checked, index, found)
  }

  private tryLabel(candidate: Candidate, index: number, finds: Finds): void {
    const labels = this.labels[index] ?? NO_LABELS
    if (labels.length === 0) return
    if (!labels.some((label) => candidate.isAnnouncedBy(label) || candidate.isNamedBehind(label))) return
    const least = Math.max(lastEnd(finds.unchecked[index]), lastEnd(finds.checked[index]))
    const found = candidate.start < least ? undefined : this.kinds[index]?.findUnchecked?.(candidate)
    if (found === undefined || found.start < least) return
    if (labels.some((label) => candidate.isLabelBeside(label, found))) push(finds, finds.unchecked, index, found)
  }
}

const YEAR_DIGITS = 4
/** A day and a time with seconds (ISO 8601), as in lines of logs. */
const TIMESTAMP = /(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?!\w|[.:-]\w)/y
const HYPHEN = 0x2d

/** The end of a timestamp, which no kind has but after a label; 0 without one. */
function timestampEnd(text: string, start: number): number {
  if (text.charCodeAt(start + 4) !== HYPHEN || text.charCodeAt(start + 7) !== HYPHEN) return 0
  TIMESTAMP.lastIndex = start
  return TIMESTAMP.test(text) ? TIMESTAMP.lastIndex : 0
}

/** The place of a word: the marks on both sides, and its first character. */
function placeOf({ text, start, before, after }: Candidate): number {
  if (before >= 128 || after >= 128) return ANY_PLACE
  const left = MARK_NUMBERS[before] ?? 0
  const right = MARK_NUMBERS[after] ?? 0
  return (((left << MARK_BITS) | right) << 2) | firstAt(text, start)
}

function isListed(unit: number): boolean {
  return (MARK_NUMBERS[unit] ?? 0) > 0
}

/** The index in {@link FIRSTS} of a character. */
function firstAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit > 0x39 ? 0 : unit === 0x30 ? 1 : 2
}

function push(finds: Finds, lists: (Span[] | undefined)[], index: number, span: Span): void {
  finds.isEmpty = false
  const list = lists[index]
  if (list === undefined) lists[index] = [span]
  else list.push(span)
}

function lastEnd(spans: readonly Span[] | undefined): number {
  return spans === undefined || spans.length === 0 ? 0 : (spans[spans.length - 1]?.end ?? 0)
}

function indexOf(context: Context | undefined): number {
  return context === undefined ? NO_CONTEXT : contextIndex(context)
}

function byLength(kinds: readonly StructuredKind[], lengths: (kind: StructuredKind) => Lengths | undefined): ByLength {
  return Array.from({ length: LONGEST_WORD + 1 }, (_, length) => {
    const possible = sortKinds(kinds, (kind) => {
      const [least, most] = lengths(kind) ?? [1, 0]
      return length >= least && length <= most
    })
    const { summed, named, announced, others } = possible
    return summed.length + named.length + announced.length + others.length > 0 ? possible : undefined
  })
}

function sortKinds(kinds: readonly StructuredKind[], isPossible: (kind: StructuredKind) => boolean): Possible {
  const possible = [...kinds.entries()].filter(([, kind]) => isPossible(kind))
  const pick = (counts: (kind: StructuredKind) => boolean): number[] =>
    possible.filter(([, kind]) => counts(kind)).map(([index]) => index)
  const addBits = (counts: (kind: StructuredKind) => boolean): number =>
    possible.reduce(
      (bits, [, kind]) => (counts(kind) && kind.digits !== undefined ? bits | toBits(kind.digits) : bits),
      0,
    )
  const isSummed = ({ digits, announcedBy }: StructuredKind): boolean =>
    digits !== undefined && announcedBy === undefined
  const isNamed = ({ digits, announcedBy }: StructuredKind): boolean =>
    digits !== undefined && announcedBy !== undefined
  return {
    summed: pick(isSummed),
    sums: addBits(isSummed),
    named: pick(isNamed),
    namedSums: addBits(isNamed),
    announced: pick(({ digits, announcedBy }) => digits === undefined && announcedBy !== undefined),
    others: pick(({ digits, announcedBy }) => digits === undefined && announcedBy === undefined),
    asksForNames: possible.some(
      ([, kind]) => kind.announcedBy !== undefined || kind.findUnchecked !== undefined || kind.fits !== undefined,
    ),
    fitting: [],
  }
}

function toBits([least, most]: Lengths): number {
  let bits = 0
  for (let count = least; count <= most; count++) bits |= 1 << count
  return bits
}

/** The first character from an offset on that {@link STOPS} has, before a limit; the limit without one. */
function nextStop(text: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 128 && STOPS[unit] === 1) return at
  }
  return limit
}

function roleAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit < 128 ? (ROLES[unit] ?? OTHER) : OTHER
}

function roleBefore(text: string, at: number): number {
  return at === 0 ? OTHER : roleAt(text, at - 1)
}

function isStop(byte: number): boolean {
  return (ROLES[byte] ?? OTHER) >= DIGIT
}

function isWordRole(role: number): boolean {
  return role === DIGIT || role === SMALL || role === CAPITAL
}

/** Code units of the `@` that is percent-encoded at an offset, once or twice; 0 without one. */
function encodedAtWidth(text: string, at: number): number {
  if (text.startsWith('40', at + 1)) return 3
  return text.startsWith('2540', at + 1) ? 5 : 0
}
