import { withAllowList } from './allow-list.ts'
import { combineDetectors } from './combine-detectors.ts'
import type { Detector } from './detector.ts'
import { createEncodedDetector } from './encoded/encoded-detector.ts'
import { PiiError } from './errors.ts'
import { followListFiles, withStandIns } from './list-files.ts'
import { createNerDetector, type NerDetectorOptions } from './ner/ner-detector.ts'
import { offloadPatterns, type PatternOffload } from './offload/offload-patterns.ts'
import { createMaskWriters, type MaskFunctions, type ReadSecret } from './operators/operators.ts'
import { withOperators } from './operators/with-operators.ts'
import { createPatternTier, type PatternDetectorOptions, toNeutralGroups } from './pattern/detector.ts'
import { BUILTINS } from './pattern/full-catalogue.ts'
import { refuseUnknownGroups } from './pattern/known-groups.ts'
import type { DetectionSettings } from './settings.ts'

/** Options of {@link createDetector}. */
export interface DetectorOptions extends Omit<NerDetectorOptions, 'settings' | 'classifier'> {
  /** The `pii_detection` block. */
  readonly settings: DetectionSettings
  /** Recognises entities. @default none: the detector has patterns only */
  readonly classifier?: NerDetectorOptions['classifier'] | undefined
  /** Searches the patterns of large documents elsewhere, such as on another thread. @default here */
  readonly offload?: PatternOffload | undefined
  /** Bounds the time that a pattern search holds the event loop. @default 5 ms */
  readonly slices?: PatternDetectorOptions['slices'] | undefined
  /** Reads the keys of hashes that operators name. @default none can be read */
  readonly readSecret?: ReadSecret | undefined
  /** Write the replacements of operators that call for them by name. @default none */
  readonly maskFunctions?: MaskFunctions | undefined
  /** Chooses the values that operators invent. @default random, for as long as the process runs */
  readonly fakeKey?: string | undefined
}

/**
 * Creates a detector from one `pii_detection` block: entities if there is a classifier, patterns if the block names
 * any, and both tiers if there are both (§2.11). With `encodings` in the block, patterns are also searched in decoded
 * text.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for an invalid policy, a pattern that the grammar refuses, an
 *   unknown encoding, encodings without patterns, an operator or a minimum score of a group that is never reported, or
 *   neither a classifier nor patterns
 * @example
 * createDetector({ name: 'keys', settings: { builtins: ['codehost_token'], defaultAction: 'block' } })
 */
export function createDetector(options: DetectorOptions): Detector {
  const { name, settings, termFiles: files, logger } = options
  checkSettings(settings)
  // A recogniser that does not tell its groups may report any.
  const { classifier } = options
  if (classifier === undefined || classifier.groups !== undefined) refuseUnknownGroups(settings, classifier?.groups)
  const create = (plain: DetectionSettings): Detector => createPlainDetector({ ...options, settings: plain })
  if (settings.denyListFiles === undefined && settings.allowListFiles === undefined) return create(settings)
  create(withStandIns(settings))
  return followListFiles({ name, settings, files, logger, create })
}

/** Creates the detector of settings whose lists are in no files. */
function createPlainDetector(detectorOptions: DetectorOptions): Detector {
  const {
    settings,
    classifier,
    offload,
    slices,
    readSecret,
    maskFunctions: functions,
    fakeKey,
    ...options
  } = detectorOptions
  const { name } = options
  const { builtins = [], patterns = [], denyList = {}, encodings = [] } = settings
  const writers = createMaskWriters(toNeutralGroups(settings.operators ?? {}, BUILTINS), {
    readSecret,
    functions,
    fakeKey,
  })
  const ner = classifier && createNerDetector({ ...options, settings, classifier })
  const hasPatterns = builtins.length + patterns.length + Object.keys(denyList).length > 0
  const plain = hasPatterns ? createPatternTier({ name, settings, slices }, BUILTINS) : undefined
  if (plain === undefined && encodings.length > 0) {
    throw new PiiError('invalid_request', 'encodings are read for builtins and patterns', { code: 'pii_config' })
  }
  const local = plain && encodings.length > 0 ? createEncodedDetector({ detector: plain, encodings, slices }) : plain
  const pattern = local && offload ? offloadPatterns(local, settings, offload) : local
  const tier = ner !== undefined && pattern !== undefined ? combineDetectors(name, [ner, pattern]) : (ner ?? pattern)
  if (tier === undefined) {
    throw new PiiError('invalid_request', 'a detector needs a classifier, builtins or patterns', { code: 'pii_config' })
  }
  return withOperators(withAllowList(tier, settings.allowList ?? []), writers)
}

const LISTS = [
  'builtins',
  'patterns',
  'encodings',
  'allowList',
  'allowListFiles',
  'protectedTerms',
  'phoneRegions',
] as const
const MAPS = ['denyList', 'denyListFiles', 'operators', 'entityMinScores', 'entityActions'] as const

/** @throws SvcError `pii_config` for settings, lists or maps of another type */
function checkSettings(settings: DetectionSettings): void {
  if (!isRecord(settings)) throw badSettings('the settings are not an object')
  const noList = LISTS.find((key) => settings[key] !== undefined && !Array.isArray(settings[key]))
  if (noList !== undefined) throw badSettings(`${noList} is not a list`)
  const noMap = MAPS.find((key) => settings[key] !== undefined && !isRecord(settings[key]))
  if (noMap !== undefined) throw badSettings(`${noMap} is not an object`)
  const noPattern = settings.patterns?.findIndex((pattern) => !isRecord(pattern)) ?? -1
  if (noPattern !== -1) throw badSettings(`patterns[${noPattern}] is not an object`)
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function badSettings(message: string): PiiError {
  return new PiiError('invalid_request', message, { code: 'pii_config' })
}
