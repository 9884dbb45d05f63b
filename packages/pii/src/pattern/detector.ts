import { checkArgument, SvcError } from '@svc/errors'
import type { SliceOptions } from '@svc/json'
import { compareActions, type PiiAction } from '../action.ts'
import type { Detector, JudgedDetection, ScanDocument } from '../detector.ts'
import { createPolicy, type PolicySettings } from '../policy.ts'
import type { CustomPattern } from '../settings.ts'
import type { Span } from '../span.ts'
import { joinAdjacentParts } from './adjacent-parts.ts'
import { BUILTIN_NAMES, BUILTIN_SETS, type BuiltinName, type BuiltinSet } from './builtin-names.ts'
import type { Builtin, Catalogue } from './catalogue.ts'
import { CompiledPattern } from './compiled-pattern.ts'
import { type FoundBy, KnownHits } from './known-hits.ts'
import { PatternMatcher } from './matcher.ts'
import { PHONE_REGIONS } from './phone-regions.ts'
import { PlainViewer } from './plain-view.ts'
import { runSearch, type Search } from './run-search.ts'
import { StructuredSet } from './structured/set-search.ts'

/** Most patterns of one operator in one detector. */
export const MAX_PATTERNS = 128

/** The part of `pii_detection` that patterns use (§2.11). */
export interface PatternSettings extends PolicySettings {
  /** Names of the catalogue, neutral or of the vendor, or of several of its entries: `secrets`, `structured`, `all`. */
  readonly builtins?: readonly (BuiltinName | BuiltinSet)[] | undefined
  readonly patterns?: readonly CustomPattern[] | undefined
  /** Whether values count only where their range and check are right, and not by a label alone. @default false */
  readonly checkedOnly?: boolean | undefined
  /** Regions (ISO 3166-1) whose telephone numbers count in their national form, without a label too. @default none */
  readonly phoneRegions?: readonly string[] | undefined
}

/** Options of {@link createPatternDetector}. */
export interface PatternDetectorOptions {
  /** The name of the detector model. */
  readonly name: string
  readonly settings: PatternSettings
  /** Bounds the time that a search holds the event loop. @default 5 ms */
  readonly slices?: Omit<SliceOptions, 'signal'> | undefined
}

/** One kind of finding of the detector. */
interface Rule {
  readonly group: string
  readonly action: PiiAction
  readonly minBytes: number
  readonly builtin: Builtin | undefined
  /** The place of the built-in in the catalogue. */
  readonly rank: number | undefined
  readonly pattern: CompiledPattern | undefined
}

/** A range that a rule found. */
interface Hit extends FoundBy<Rule> {
  /** Whether only a label and the form speak for it. */
  readonly isUnchecked?: boolean
}

/**
 * Creates the tier that searches the patterns of a catalogue and an operator's own: `createPatternDetector` with a
 * catalogue that is there.
 *
 * @throws SvcError `pii_config` as `createPatternDetector` does
 */
export function createPatternTier({ name, settings, slices }: PatternDetectorOptions, catalogue: Catalogue): Detector {
  checkName(name)
  const rules = createRules(settings, catalogue)
  const patterned = rules.filter((rule) => rule.pattern !== undefined)
  const matcher = new PatternMatcher(patterned.flatMap((rule) => rule.pattern ?? []))
  const structured = rules.filter((rule) => rule.builtin?.structured !== undefined)
  const regions = checkRegions(settings.phoneRegions ?? [])
  const set = new StructuredSet(
    structured.flatMap(({ builtin }) => {
      const kind = builtin?.structured
      return (regions.length > 0 ? kind?.forRegions?.(regions) : undefined) ?? kind ?? []
    }),
  )

  function* hitsIn(text: string, segments: readonly Span[]): Search<Hit[]> {
    const scan = matcher.scan(text, segments)
    while (!scan.advance()) yield
    const hits: Hit[] = []
    for (const { pattern, start, end } of scan.matches()) {
      const rule = patterned[pattern]
      if (rule === undefined || utf8Length(text, start, end, rule.minBytes) < rule.minBytes) continue
      if (rule.builtin?.findSecret === undefined) hits.push({ start, end, rule })
      else {
        const secret = rule.builtin.findSecret(text, { start, end })
        if (secret !== undefined) hits.push({ start: secret.start, end: secret.end, rule })
      }
    }
    if (structured.length > 0) {
      const search = set.scan(text)
      while (!search.advance()) yield
      for (const [index, rule] of structured.entries()) {
        if (rule.builtin?.name === FORM_ONLY) continue
        for (const { start, end } of search.found(index)) hits.push({ start, end, rule })
      }
      if (settings.checkedOnly !== true) {
        for (const [index, rule] of structured.entries()) {
          for (const { start, end } of search.foundUnchecked(index)) hits.push({ start, end, rule, isUnchecked: true })
        }
      }
      // A label says more than the groups of a telephone number.
      for (const [index, rule] of structured.entries()) {
        if (rule.builtin?.name !== FORM_ONLY) continue
        for (const { start, end } of search.found(index)) hits.push({ start, end, rule })
      }
    }
    return hits.length > 1 ? withoutGeneral(hits) : hits
  }

  /** Finds matches in a text, also when it is written with invisible characters or in other letter forms. */
  function* hitsInViews(text: string, segments: readonly Span[]): Search<Hit[]> {
    const hits = yield* hitsIn(text, segments)
    if (!PlainViewer.mayDiffer(text)) return hits
    for (const tags of PlainViewer.hasTags(text) ? (['unseen', 'read'] as const) : (['unseen'] as const)) {
      const viewer = new PlainViewer(text, segments, tags)
      while (!viewer.advance()) yield
      const view = viewer.view()
      if (view === undefined) continue
      for (const hit of yield* hitsIn(view.text, view.segments)) hits.push({ ...hit, ...view.toText(hit) })
    }
    return hits
  }

  function* hitsInDocument(document: ScanDocument): Search<JudgedDetection[]> {
    const hits = yield* hitsInViews(document.text, document.segments)
    let known: KnownHits<Rule> | undefined
    for (const joined of joinAdjacentParts(document)) {
      const across = yield* hitsInViews(joined.text, joined.parts)
      for (let index = 0; index < across.length; index++) {
        const found = across[index]
        if (found === undefined) continue
        const { rule } = found
        const place = joined.toDocument(found)
        known ??= new KnownHits(hits)
        if (known.isNew(place, rule)) hits.push({ ...found, ...place })
        if (index % HITS_PER_STEP === HITS_PER_STEP - 1) yield
      }
    }
    return hits.map(toDetection)
  }

  /** Whether a quick check finds no candidates, neither in the parts of a message nor across their edges. */
  function isQuiet(document: ScanDocument): boolean {
    if (structured.length > 0 || PlainViewer.mayDiffer(document.text)) return false
    if (!matcher.isPlainWithoutMatch(document.text)) return false
    return joinAdjacentParts(document).every(({ text }) => matcher.isPlainWithoutMatch(text))
  }

  return {
    name,
    detect: (document, options) => (isQuiet(document) ? NOTHING : runSearch(hitsInDocument(document), slices, options)),
  }
}

const NOTHING: readonly JudgedDetection[] = []

/** The built-in that other kinds with the same finding go before, also when only a label speaks for them. */
const FORM_ONLY: BuiltinName = 'phone'

/** Between two checks of the time. */
const HITS_PER_STEP = 10_000

/** The score of a value that only its label and form speak for. */
const UNCHECKED_SCORE = 0.6

function toDetection({ start, end, rule, isUnchecked }: Hit): JudgedDetection {
  const { group, action, rank } = rule
  if (isUnchecked === true) {
    return { start, end, group, action, rank, source: 'pattern', score: UNCHECKED_SCORE, checked: false }
  }
  return { start, end, group, action, rank, source: 'pattern', score: 1 }
}

function checkName(name: string): void {
  checkArgument(typeof name === 'string' && name !== '', 'createPatternDetector: name', 'a name', name)
}

function checkRegions(regions: readonly string[]): readonly string[] {
  if (!Array.isArray(regions)) throw configError('phone_regions must be a list')
  const unknown = regions.find((region) => !PHONE_REGIONS.includes(region))
  if (unknown === undefined) return regions
  throw configError(`phone_regions: ${JSON.stringify(unknown)} is not one of ${PHONE_REGIONS.join(', ')}`)
}

function createRules(settings: PatternSettings, catalogue: Catalogue): Rule[] {
  const { builtins = [], patterns = [] } = settings
  if (!Array.isArray(builtins) || !Array.isArray(patterns)) throw configError('builtins and patterns must be lists')
  if (builtins.length === 0 && patterns.length === 0) throw configError('neither builtins nor patterns are named')
  if (patterns.length > MAX_PATTERNS) throw configError(`more than ${MAX_PATTERNS} patterns`)
  const named = new Set(builtins.flatMap((name) => knownBuiltins(name, catalogue)))
  const actions = toNeutralGroups(settings.entityActions ?? {}, catalogue)
  const policy = createPolicy({ ...settings, entityActions: actions })
  return [
    ...catalogue.builtins
      .filter((builtin) => named.has(builtin))
      .map((builtin) => ({
        group: builtin.group,
        action: policy(builtin.group),
        minBytes: 0,
        builtin,
        rank: catalogue.builtins.indexOf(builtin),
        pattern: builtin.pattern,
      })),
    ...patterns.map((custom, index) => customRule(custom, index, settings)),
  ]
}

function knownBuiltins(name: string, catalogue: Catalogue): readonly Builtin[] {
  const known = catalogue.find(name)
  if (known === undefined) {
    throw configError(`builtins: ${JSON.stringify(name)} is not a built-in${suggestNames(name)}`)
  }
  return known
}

/** Most names in a sentence. */
const MOST_SUGGESTIONS = 5
const ALIKE_LETTERS = 3

/** The known names that begin alike; the names of sets when there are none. */
function suggestNames(name: unknown): string {
  const start = String(name).slice(0, ALIKE_LETTERS).toLowerCase()
  const alike = BUILTIN_NAMES.filter((known) => known.startsWith(start)).slice(0, MOST_SUGGESTIONS)
  return `; there are ${[...alike, ...BUILTIN_SETS].join(', ')}`
}

/** Entries by group, with the groups of built-ins under their neutral names. A given neutral name wins. */
export function toNeutralGroups<T>(actions: Readonly<Record<string, T>>, { builtins }: Catalogue): Record<string, T> {
  const neutral: Record<string, T> = { ...actions }
  for (const { name, aliases, group, groupAliases } of builtins) {
    const given = [group, ...groupAliases, name, ...aliases].find((key) => Object.hasOwn(actions, key))
    const action = given === undefined ? undefined : actions[given]
    if (action !== undefined) neutral[group] = action
  }
  return neutral
}

function customRule(custom: CustomPattern, index: number, settings: PatternSettings): Rule {
  const { name, match, action, minLen = 0 } = custom
  if (typeof name !== 'string' || typeof match !== 'string')
    throw configError(`patterns[${index}]: name and match must be texts`)
  if (name.trim() === '') throw configError(`patterns[${index}] has no name`)
  if (!Number.isInteger(minLen) || minLen < 0) throw configError(`patterns[${index}]: min_len is not a length`)
  const entityActions = settings.entityActions ?? {}
  // The map of actions is for groups of any kind; it overrides the pattern's own action.
  const named =
    Object.hasOwn(entityActions, name) || action === undefined ? entityActions : { ...entityActions, [name]: action }
  return {
    group: name,
    action: createPolicy({ ...settings, entityActions: named })(name),
    minBytes: minLen,
    builtin: undefined,
    rank: undefined,
    pattern: compiled(match, `patterns[${index}] (${JSON.stringify(name)})`),
  }
}

function compiled(source: string, where: string): CompiledPattern {
  try {
    const pattern = new CompiledPattern(source)
    pattern.prepare()
    return pattern
  } catch (error) {
    if (!SvcError.is(error)) throw error
    throw new SvcError('invalid_request', `${where}: ${error.message}`, {
      code: 'pii_config',
      cause: error,
      details: error.details,
    })
  }
}

function configError(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'pii_config' })
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
