import { checkArgument, SvcError } from '@svc/errors'
import type { SliceOptions } from '@svc/json'
import type { PiiAction } from '../action.ts'
import { configError } from '../config-error.ts'
import { createDenyList, type DenyList } from '../deny-list.ts'
import type { Detector, JudgedDetection, ScanDocument } from '../detector.ts'
import { createScoreLimits, type MinScores } from '../min-scores.ts'
import type { TermMatcher } from '../ner/term-matcher.ts'
import { createPolicy, type PolicySettings } from '../policy.ts'
import type { CustomPattern } from '../settings.ts'
import { joinAdjacentParts } from './adjacent-parts.ts'
import { listAlike } from './alike-names.ts'
import { BUILTIN_NAMES, BUILTIN_SETS, type BuiltinName, type BuiltinSet } from './builtin-names.ts'
import type { Builtin, Catalogue } from './catalogue.ts'
import { CompiledPattern } from './compiled-pattern.ts'
import { KnownHits } from './known-hits.ts'
import { type Hit, type Rule, RuleSearch } from './rule-search.ts'
import { runSearch, type Search } from './run-search.ts'
import { PHONE_REGIONS } from './structured-names.ts'
import { searchViews } from './view-search.ts'

/** Most patterns of one operator in one detector. */
export const MAX_PATTERNS = 128

/** The part of `pii_detection` that patterns use (§2.11). */
export interface PatternSettings extends PolicySettings {
  /** Names of the catalogue, neutral or of the vendor, or of several of its entries: `secrets`, `structured`, `all`. */
  readonly builtins?: readonly (BuiltinName | BuiltinSet)[] | undefined
  readonly patterns?: readonly CustomPattern[] | undefined
  /** Whether values count only where their range and check are right, and not by a label alone. @default false */
  readonly checkedOnly?: boolean | undefined
  /** Terms that are always found, by group. @default none */
  readonly denyList?: DenyList | undefined
  /** Minimum scores by group, 0..1. @default none */
  readonly entityMinScores?: MinScores | undefined
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

/**
 * Creates the tier that searches the patterns of a catalogue and an operator's own: `createPatternDetector` with a
 * catalogue that is there.
 *
 * @throws SvcError `pii_config` as `createPatternDetector` does
 */
export function createPatternTier({ name, settings, slices }: PatternDetectorOptions, catalogue: Catalogue): Detector {
  checkName(name)
  const rules = createRules(settings, catalogue)
  const search = new RuleSearch(rules, catalogue.createSet, checkRegions(settings.phoneRegions ?? []))

  function* hitsInDocument(document: ScanDocument): Search<JudgedDetection[]> {
    const hits = yield* searchViews(search, document.text, document.segments)
    let known: KnownHits<Rule> | undefined
    for (const joined of joinAdjacentParts(document)) {
      const across = yield* searchViews(search, joined.text, joined.parts)
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
    if (!search.isQuiet(document.text)) return false
    return joinAdjacentParts(document).every(({ text }) => search.isQuiet(text))
  }

  return {
    name,
    detect: (document, options) => (isQuiet(document) ? NOTHING : runSearch(hitsInDocument(document), slices, options)),
  }
}

const NOTHING: readonly JudgedDetection[] = []

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
  const denied = createDenyList(settings.denyList ?? {})
  if (builtins.length + patterns.length + denied.length === 0) {
    throw configError('neither builtins nor patterns are named, and no deny_list')
  }
  if (patterns.length > MAX_PATTERNS) throw configError(`more than ${MAX_PATTERNS} patterns`)
  const named = new Set(builtins.flatMap((name) => knownBuiltins(name, catalogue)))
  const actions = toNeutralGroups(settings.entityActions ?? {}, catalogue)
  const policy = createPolicy({ ...settings, entityActions: actions })
  const limits = createScoreLimits(0, toNeutralGroups(settings.entityMinScores ?? {}, catalogue))
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
        folds: true,
        checkedOnly: settings.checkedOnly === true || !limits.accepts(builtin.group, UNCHECKED_SCORE),
      })),
    ...patterns.map((custom, index) => customRule(custom, index, settings)),
    ...denied.map(({ group, terms }) => listRule(group, terms, policy(group))),
  ]
}

function listRule(group: string, terms: TermMatcher, action: PiiAction): Rule {
  return {
    group,
    action,
    terms,
    minBytes: 0,
    builtin: undefined,
    rank: undefined,
    pattern: undefined,
    folds: true,
    checkedOnly: true,
  }
}

function knownBuiltins(name: string, catalogue: Catalogue): readonly Builtin[] {
  const known = catalogue.find(name)
  if (known === undefined) {
    throw configError(`builtins: ${JSON.stringify(name)} is not a built-in${suggestNames(name)}`)
  }
  return known
}

/** The known names that begin alike; the names of sets when there are none. */
function suggestNames(name: unknown): string {
  return `; there are ${[...listAlike(String(name), BUILTIN_NAMES), ...BUILTIN_SETS].join(', ')}`
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
  const { name, match, action, minLen = 0, fold = false } = custom
  if (typeof name !== 'string' || typeof match !== 'string')
    throw configError(`patterns[${index}]: name and match must be texts`)
  if (name.trim() === '') throw configError(`patterns[${index}] has no name`)
  if (!Number.isInteger(minLen) || minLen < 0) throw configError(`patterns[${index}]: min_len is not a length`)
  if (typeof fold !== 'boolean') throw configError(`patterns[${index}]: fold must be true or false`)
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
    folds: fold,
    checkedOnly: true,
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
