import { compareActions, type PiiAction } from '../action.ts'
import type { TermMatcher } from '../ner/term-matcher.ts'
import type { Span } from '../span.ts'
import type { BuiltinName } from './builtin-names.ts'
import type { Builtin, Catalogue } from './catalogue.ts'
import type { CompiledPattern } from './compiled-pattern.ts'
import type { FoundBy } from './known-hits.ts'
import { PatternMatcher } from './matcher.ts'
import { PlainViewer } from './plain-view.ts'
import type { Search } from './run-search.ts'
import type { StructuredSet } from './structured/set-search.ts'

/** One kind of finding of the detector. */
export interface Rule {
  readonly group: string
  readonly action: PiiAction
  readonly minBytes: number
  readonly builtin: Builtin | undefined
  /** The place of the built-in in the catalogue. */
  readonly rank: number | undefined
  readonly pattern: CompiledPattern | undefined
  /** Whether a pattern of an operator also reads digits of other scripts and look-alike letters. */
  readonly folds: boolean
  /** Finds the terms of a list, for a rule without a pattern. */
  readonly terms?: TermMatcher | undefined
  /** Whether labelled values of the right form do not count by themselves. */
  readonly checkedOnly: boolean
}

/** A range that a rule found. */
export interface Hit extends FoundBy<Rule> {
  /** Whether only a label and the form speak for it. */
  readonly isUnchecked?: boolean
}

/** The built-in that other kinds with the same finding go before, also when only a label speaks for them. */
const FORM_ONLY: BuiltinName = 'phone'

/** The search for all rules of a detector in a text as it stands. */
export class RuleSearch {
  private readonly patterned: readonly Rule[]
  private readonly structured: readonly Rule[]
  private readonly listed: readonly Rule[]
  private readonly matcher: PatternMatcher
  /** Whether any rule also reads folded text. */
  readonly hasFolds: boolean
  /** There when any rule is a checked shape. */
  private readonly set: StructuredSet | undefined

  /**
   * @param createSet of the catalogue that the rules are of
   * @param regions whose national telephone numbers count
   */
  constructor(rules: readonly Rule[], createSet: Catalogue['createSet'], regions: readonly string[] = []) {
    this.hasFolds = rules.some(({ folds }) => folds)
    this.patterned = rules.filter((rule) => rule.pattern !== undefined)
    this.structured = rules.filter((rule) => rule.builtin?.structured !== undefined)
    this.listed = rules.filter((rule) => rule.terms !== undefined)
    this.matcher = new PatternMatcher(this.patterned.flatMap((rule) => rule.pattern ?? []))
    const kinds = this.structured.flatMap(({ builtin }) => {
      const kind = builtin?.structured
      return (regions.length > 0 ? kind?.forRegions?.(regions) : undefined) ?? kind ?? []
    })
    this.set = kinds.length > 0 ? createSet?.(kinds) : undefined
  }

  /** Whether any rule is a built-in, which also reads text without markup. */
  get hasBuiltins(): boolean {
    return this.structured.length > 0 || this.patterned.some(({ builtin }) => builtin !== undefined)
  }

  /** Whether a quick check finds no candidates in a text. */
  isQuiet(text: string): boolean {
    if (this.structured.length > 0 || this.listed.length > 0) return false
    return this.matcher.isPlainWithoutMatch(text) && !PlainViewer.mayDiffer(text)
  }

  /** Finds matches. Of built-ins with exactly the same finding, the most specific one counts. */
  *search(text: string, segments: readonly Span[]): Search<Hit[]> {
    const hits = yield* this.searchPatterns(text, segments)
    if (this.set !== undefined) yield* this.searchStructured(text, this.set, hits)
    if (this.listed.length > 0) yield* this.searchLists(text, segments, hits)
    return hits.length > 1 ? withoutGeneral(hits) : hits
  }

  private *searchPatterns(text: string, segments: readonly Span[]): Search<Hit[]> {
    const scan = this.matcher.scan(text, segments)
    while (!scan.advance()) yield
    const hits: Hit[] = []
    for (const { pattern, start, end } of scan.matches()) {
      const rule = this.patterned[pattern]
      if (rule === undefined || utf8Length(text, start, end, rule.minBytes) < rule.minBytes) continue
      if (rule.builtin?.findSecret === undefined) hits.push({ start, end, rule })
      else {
        const secret = rule.builtin.findSecret(text, { start, end })
        if (secret !== undefined) hits.push({ start: secret.start, end: secret.end, rule })
      }
    }
    return hits
  }

  private *searchLists(text: string, segments: readonly Span[], hits: Hit[]): Search<void> {
    const stretches = uniteAdjacent(segments)
    for (const rule of this.listed) {
      for (const stretch of stretches) {
        for (const { start, end } of rule.terms?.find(text, stretch) ?? []) hits.push({ start, end, rule })
        yield
      }
    }
  }

  private *searchStructured(text: string, set: StructuredSet, hits: Hit[]): Search<void> {
    const search = set.scan(text)
    while (!search.advance()) yield
    if (search.isEmpty()) return
    const { structured } = this
    structured.forEach((rule, index) => {
      if (rule.builtin?.name === FORM_ONLY) return
      for (const { start, end } of search.found(index)) hits.push({ start, end, rule })
    })
    structured.forEach((rule, index) => {
      if (rule.checkedOnly) return
      for (const { start, end } of search.foundUnchecked(index)) hits.push({ start, end, rule, isUnchecked: true })
    })
    // A label says more than the groups of a telephone number.
    structured.forEach((rule, index) => {
      if (rule.builtin?.name !== FORM_ONLY) return
      for (const { start, end } of search.found(index)) hits.push({ start, end, rule })
    })
  }
}

/**
 * Of built-ins with exactly the same finding, keeps the most specific one, and all with a stronger action: a key of one
 * provider also has the shape of another's. They come in the order of the catalogue, the specific first.
 */
function withoutGeneral(hits: readonly Hit[]): Hit[] {
  const strongest = new Map<string, PiiAction>()
  return hits.filter(({ start, end, rule: { builtin, action } }) => {
    if (builtin === undefined) return true
    const key = `${start}:${end}`
    const known = strongest.get(key)
    if (known !== undefined && compareActions(action, known) <= 0) return false
    strongest.set(key, action)
    return true
  })
}

/** Segments with adjacent ones, such as the parts of a message, as one. */
function uniteAdjacent(segments: readonly Span[]): Span[] {
  const united: Span[] = []
  for (const { start, end } of segments) {
    const last = united.at(-1)
    if (last?.end === start) united[united.length - 1] = { start: last.start, end }
    else united.push({ start, end })
  }
  return united
}

/** Bytes of UTF-8 of a range, counted up to `enough`. */
function utf8Length(text: string, start: number, end: number, enough: number): number {
  let bytes = 0
  for (let at = start; at < end && bytes < enough; at++) {
    const unit = text.charCodeAt(at)
    // Each half of a pair is two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3
  }
  return bytes
}
