import { CONTEXTS, type Context, contextIndex, HINTS } from './announcements.ts'
import { isLabelGap } from './label-gap.ts'
import { isWordUnit, type NotePhrase, readWord, readWords } from './phrases.ts'

export { type Context, contextIndex }

/** Code units before a candidate in which an announcing word counts. */
const CONTEXT_UNITS = 48
/** The same for a word that must be directly before. */
const LABEL_UNITS = 20
const LONGEST_WORD = 32
/** Code units behind a candidate in which the first word of a label begins. */
const BEHIND_UNITS = 24
const NEVER = -LONGEST_WORD * 4
/** By kind: whether it is one of {@link HINTS}. */
const HINT_FLAGS = Uint8Array.from(CONTEXTS, (kind) => (HINTS.has(kind) ? 1 : 0))

/**
 * Reads the words before candidates, each at most once, as the candidates come in the order of the text. It keeps where
 * the last announcing word of each kind begins.
 */
export class ContextReader {
  private readonly text: string
  private readonly lastSeen = new Int32Array(CONTEXTS.length).fill(NEVER)
  /** The end of the last label of each kind. */
  private readonly labelEnds = new Int32Array(CONTEXTS.length).fill(NEVER)
  private readonly note: NotePhrase
  private readonly noteBehind: NotePhrase
  private latest = Number.NEGATIVE_INFINITY
  private position = 0
  /** The place behind which labels were read last, and their kinds. */
  private behindAt = -1
  private readonly behind = new Set<number>()

  constructor(text: string) {
    this.text = text
    this.noteBehind = ({ kind, isLabel }, _, last) => {
      NEXT_VALUE.lastIndex = last
      if (isLabel && !NEXT_VALUE.test(text)) this.behind.add(kind)
    }
    this.note = ({ kind, isLabel }, start, end) => {
      this.lastSeen[kind] = start
      if (HINT_FLAGS[kind] === 0) this.latest = start
      // Of two phrases with the same first word, the longer one counts.
      if (isLabel) this.labelEnds[kind] = Math.max(end, this.labelEnds[kind] ?? NEVER)
    }
  }

  /** Whether a word of any kind but hints is shortly before an offset. */
  isAnnouncedAtAll(at: number): boolean {
    if (this.position < at) this.readTo(at)
    return this.latest >= at - CONTEXT_UNITS
  }

  /** Whether a word of a kind is shortly before an offset. */
  isAnnounced(kind: number, at: number): boolean {
    if (this.position < at) this.readTo(at)
    return (this.lastSeen[kind] ?? 0) >= at - CONTEXT_UNITS
  }

  /** Whether it is directly before, with little between. */
  isLabelled(kind: number, at: number): boolean {
    return this.isAnnounced(kind, at) && (this.lastSeen[kind] ?? 0) >= at - LABEL_UNITS
  }

  /** Whether a label of a kind is before an offset, with nothing between but marks and words such as `number is`. */
  isLabelDirectlyBefore(kind: number, at: number): boolean {
    if (!this.isAnnounced(kind, at)) return false
    const end = this.labelEnds[kind] ?? NEVER
    return end >= at - CONTEXT_UNITS && end <= at && isLabelGap(this.text.slice(end, at))
  }

  /** Whether a label of a kind is directly behind an offset, and is not that of the next value. */
  isLabelDirectlyBehind(kind: number, end: number): boolean {
    if (this.behindAt !== end) this.readBehind(end)
    return this.behind.has(kind)
  }

  /** Whether a label of any kind is there. */
  hasLabelBehind(end: number): boolean {
    if (this.behindAt !== end) this.readBehind(end)
    return this.behind.size > 0
  }

  private readTo(at: number): void {
    const { text } = this
    let position = this.position
    if (position < at - CONTEXT_UNITS) {
      position = at - CONTEXT_UNITS
      // A word that the range cuts does not count.
      if (isWordUnit(text.charCodeAt(position - 1)))
        while (position < at && isWordUnit(text.charCodeAt(position))) position++
    }
    readWords(text, position, at, this.note)
    this.position = at
  }

  private readBehind(end: number): void {
    const { text } = this
    this.behindAt = end
    if (this.behind.size > 0) this.behind.clear()
    if (!mayLead(text, end)) return
    const start = leadEnd(text, end)
    const limit = Math.min(text.length, start + BEHIND_UNITS * 2)
    if (start < 0 || start - end > BEHIND_UNITS || !isWordUnit(text.charCodeAt(start))) return
    readWord(text, start, limit, this.noteBehind)
  }
}

/** A quick check: a blank or another mark, and shortly behind it a letter. */
function mayLead(text: string, end: number): boolean {
  const unit = text.charCodeAt(end)
  if (unit !== 0x20 && unit !== 0x2c && unit !== 0x3b && unit !== 0x28 && unit !== 0x2f && unit < 0x2013) return false
  for (let at = end; at < end + 4; at++) {
    const next = text.charCodeAt(at)
    if (next >= 0x30 && next <= 0x39) return false
    if (isWordUnit(next)) return true
  }
  return text.charCodeAt(end + 1) === 0x3d || text.charCodeAt(end + 1) === 0x20
}

/** What is between a value and the label behind it: a blank, a bracket, words such as `is my`. */
const LEAD =
  /(?=[ ,;(/–—-]|[\u4e00-\u9fff])[ \t]{0,2}(?:[,;/–—-][ \t]?)?["'(]?(?:(?:is|=|ist|est|es|é|è|jest|är|er|to|as|als|como|come|comme|the|a|my|our|his|her|their|mein|meine|mon|ma|mi|mijn|min|il mio|la mia|minha|meu|moje?) ){0,2}/iy
/** The words of {@link LEAD}, as far as they begin with a letter of ASCII. */
const LEAD_WORDS = new Set(
  'is ist est es jest er to as als como come comme the a my our his her their mein meine mon ma mi mijn min il la minha meu moj moje'.split(
    ' ',
  ),
)
const LONGEST_LEAD_WORD = 5

/** The end of what is between a value and the word behind it; -1 where no word can follow. */
function leadEnd(text: string, end: number): number {
  const from = end + 1
  if (text.charCodeAt(end) === 0x20 && isAsciiLetter(text.charCodeAt(from))) {
    let last = from + 1
    while (last - from <= LONGEST_LEAD_WORD && isAsciiLetter(text.charCodeAt(last))) last++
    // Most words are others.
    if (last - from > LONGEST_LEAD_WORD || !LEAD_WORDS.has(text.slice(from, last).toLowerCase())) return from
  }
  LEAD.lastIndex = end
  return LEAD.test(text) ? LEAD.lastIndex : -1
}

function isAsciiLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)
}

/** A label that another value follows belongs to that one. */
const NEXT_VALUE = /[ \t]*(?:[:=#]|(?:number|no\.?|nr\.?|nummer|numéro|número)?[ \t:.=#]*\+?\d)/iy
