import { SvcError } from '@svc/errors'
import { findHostFault, findPathFault } from '@svc/mitm/entries'
import { findOperatorFault } from '@svc/pii/operators'
import { createPatternDetector, findAllowListFault, findUnknownGroup, withStandIns } from '@svc/pii/patterns'
import { isSafeName } from '../files/safe-path.ts'
import { parseFailoverKeys } from './failover-settings.ts'
import type { ModelKeys } from './keys/model-keys.ts'
import type { KeyNote } from './keys/read-field.ts'
import { checkMcpTexts } from './validate-mcp.ts'
import type { YamlEntry, YamlMap } from './yaml/node.ts'

const BACKEND_NAME = /^[a-zA-Z0-9_-]+$/

/** Takes the sentences about the keys of a file. */
export interface KeyReport {
  /** The file is refused. */
  problem(note: KeyNote): void
  /** The file is used without the key. */
  warning(note: KeyNote): void
  /** The file is used without the entry, and refused where it is about to be written. */
  unusable(note: KeyNote): void
}

/** Reports the problems of a model file beyond the types of its keys. */
export function validateKeys(keys: ModelKeys, root: YamlMap, report: KeyReport): void {
  const refuse = (key: string, reason: string) => report.problem({ line: findLine(root, key), key, reason })
  if (filled(keys.name) && !isSafeName(keys.name)) refuse('name', 'is not a name for a model')
  for (const validate of [
    checkAlias,
    checkBackend,
    checkPaths,
    checkProxy,
    checkPatterns,
    checkOperators,
    checkGroups,
    checkPooling,
    checkArtifacts,
    checkLimits,
    checkFailover,
  ])
    validate(keys, refuse)
  checkMcpTexts(keys, root, report)
  listUnusableEntries(keys, (key, reason) => report.unusable({ line: findLine(root, key), key, reason }))
  warnOfUnusedKeys(keys, (key, reason) => report.warning({ line: findLine(root, key), key, reason }))
}

type Refuse = (key: string, reason: string) => void

function checkFailover({ name, backend: own, failover: settings }: ModelKeys, refuse: Refuse): void {
  if (settings?.targets === undefined) return
  if (filled(own)) refuse('backend', 'cannot be set beside failover.targets: others answer for such a model')
  try {
    parseFailoverKeys(settings, { own: name ?? '' })
  } catch (error) {
    if (!SvcError.is(error)) throw error
    const key = typeof error.details?.param === 'string' ? error.details.param : 'failover'
    refuse(key, error.message.replace(`${key}: `, ''))
  }
}

function checkAlias(keys: ModelKeys, refuse: Refuse): void {
  if (keys.alias === undefined) return
  if (keys.alias === '') refuse('alias', 'names no model')
  else if (keys.name === keys.alias) refuse('alias', 'points to itself')
  // An alias only redirects: settings beside it would look as if they applied.
  if (filled(keys.backend)) refuse('backend', 'cannot be set beside alias')
  if (filled(keys.parameters?.model)) refuse('parameters.model', 'cannot be set beside alias')
  if ((keys.artifacts?.length ?? 0) > 0) refuse('artifacts', 'cannot be set beside alias')
}

function checkBackend(keys: ModelKeys, refuse: Refuse): void {
  if (filled(keys.backend) && !BACKEND_NAME.test(keys.backend)) {
    refuse('backend', 'may hold letters, digits, "-" and "_" only')
  }
}

/** File names may not lead out of the models folder. */
function checkPaths(keys: ModelKeys, refuse: Refuse): void {
  const named: [string, string | undefined][] = [
    ['parameters.model', keys.parameters?.model],
    ['mmproj', keys.mmproj],
    ['draft_model', keys.draftModel],
    ['prompt_cache_path', keys.promptCachePath],
    ...(keys.downloadFiles ?? []).map(({ filename }, index): [string, string | undefined] => [
      `download_files[${index}].filename`,
      filename,
    ]),
    ...(keys.piiDetection?.protectedTermsFiles ?? []).map((file, index): [string, string] => [
      `pii_detection.protected_terms_files[${index}]`,
      file,
    ]),
    ...listFiles(keys),
  ]
  for (const [key, path] of named) {
    if (!filled(path)) continue
    if (/^(?:[/\\]|[a-zA-Z]:[/\\])/.test(path)) refuse(key, 'must not be an absolute path')
    else if (path.includes('..')) refuse(key, 'must not hold ".."')
  }
}

/** The files of lists of a detector, with their keys. */
function listFiles({ piiDetection: { denyListFiles = {}, allowListFiles = [] } = {} }: ModelKeys): [string, string][] {
  return [
    ...Object.entries(denyListFiles).flatMap(([group, files]) =>
      files.map((file, index): [string, string] => [`pii_detection.deny_list_files.${group}[${index}]`, file]),
    ),
    ...allowListFiles.map((file, index): [string, string] => [`pii_detection.allow_list_files[${index}]`, file]),
  ]
}

function checkProxy(keys: ModelKeys, refuse: Refuse): void {
  const { proxy: settings } = keys
  if (settings === undefined) return
  if (filled(settings.apiKeyEnv) && filled(settings.apiKeyFile)) {
    refuse('proxy.api_key_file', 'cannot be set beside api_key_env')
  }
  // Mode and provider have no effect on a model of another instance.
  const isForwarded = keys.backend?.toLowerCase() === 'service-proxy'
  if (settings.mode === 'translate' && settings.provider === undefined && !isForwarded) {
    refuse('proxy.provider', 'is needed for the mode translate')
  }
}

/** Warns of keys that have no effect on this model (§6.5). */
function warnOfUnusedKeys(
  { backend: own, proxy: settings, pipeline }: ModelKeys,
  warn: (key: string, reason: string) => void,
): void {
  if (pipeline?.turnDetection?.vadWindowSec !== undefined) {
    warn(
      'pipeline.turn_detection.vad_window_sec',
      'means nothing here: the stretch that is searched follows the silence',
    )
  }
  if (settings === undefined) return
  const { mode, provider, cachePrompt, sampling, limitField, streamUsage, api } = settings
  const isCloud = own?.toLowerCase() === 'cloud-proxy'
  const isTranslated = isCloud && mode === 'translate'
  const isMessages = provider === 'provider_b'
  if (cachePrompt === true && !(isTranslated && isMessages))
    warn('proxy.cache_prompt', 'means something only to a cloud-proxy that translates for provider_b')
  if (sampling !== undefined && !isTranslated)
    warn('proxy.sampling', 'means something only to a cloud-proxy that translates')
  if (limitField !== undefined && !(isTranslated && !isMessages))
    warn('proxy.limit_field', 'means something only to a cloud-proxy that translates for provider_a')
  if (streamUsage !== undefined && !(isCloud && !isMessages))
    warn('proxy.stream_usage', 'means something only to a cloud-proxy for provider_a')
  if (api !== undefined && own?.toLowerCase() !== 'service-proxy')
    warn('proxy.api', 'means something only to a service-proxy')
}

/** A file with one good host is used: its other requests would go out unfiltered (§2.14). */
function listUnusableEntries({ mitm: { hosts = [], paths = [] } = {} }: ModelKeys, add: Refuse): void {
  const lists = [
    ['mitm.hosts', hosts, findHostFault],
    ['mitm.paths', paths, findPathFault],
  ] as const
  for (const [key, entries, findFault] of lists) {
    for (const [index, entry] of entries.entries()) {
      const fault = findFault(entry)
      if (fault !== undefined) add(`${key}[${index}]`, `"${entry.slice(0, 100)}" ${fault}`)
    }
  }
}

/** The patterns of a detector are checked with its file, and not by the first request that needs them (§2.11). */
function checkPatterns(keys: ModelKeys, refuse: Refuse): void {
  // Groups are checked apart, because those of a recogniser are unknown.
  const { patterns: own = [], operators: _, entityMinScores: __, ...settings } = withStandIns(keys.piiDetection ?? {})
  const isPattern = keys.backend?.toLowerCase() === 'pattern'
  const allowFault = findAllowListFault(settings.allowList ?? [])
  if (allowFault !== undefined) refuse('pii_detection.allow_list', allowFault)
  const named = own.length + (settings.builtins ?? []).length + Object.keys(settings.denyList ?? {}).length
  if (!isPattern && named === 0) {
    if ((settings.encodings ?? []).length > 0) refuse('pii_detection.encodings', 'are read for builtins and patterns')
    return
  }
  try {
    const patterns = own.map(({ name = '', match = '', ...rest }) => ({ name, match, ...rest }))
    createPatternDetector({ name: keys.name ?? '', settings: { ...settings, patterns } })
  } catch (error) {
    refuse('pii_detection', error instanceof Error ? error.message : String(error))
  }
}

/** Operators are checked with the file; the keys of hashes are read when the detector is created. */
function checkOperators(keys: ModelKeys, refuse: Refuse): void {
  for (const [group, operator] of Object.entries(keys.piiDetection?.operators ?? {})) {
    const fault = findOperatorFault(operator)
    if (fault !== undefined) refuse(`pii_detection.operators.${group}`, fault)
  }
}

/** Settings of groups that a detector of patterns never reports. The groups of a recogniser are in its weights. */
function checkGroups(keys: ModelKeys, refuse: Refuse): void {
  const { operators = {}, entityMinScores = {}, patterns = [], ...settings } = keys.piiDetection ?? {}
  if (keys.backend?.toLowerCase() !== 'pattern') return
  const named = patterns.map(({ name = '', match = '' }) => ({ name, match }))
  for (const [key, entries] of Object.entries({ operators, entity_min_scores: entityMinScores })) {
    const unknown = findUnknownGroup(Object.keys(entries), { ...settings, patterns: named })
    if (unknown !== undefined) refuse(`pii_detection.${key}.${unknown.group}`, unknown.fault)
  }
}

function checkPooling(keys: ModelKeys, refuse: Refuse): void {
  const { pooling: kind, poolingHalfLifeTokens = 0 } = keys.parameters ?? {}
  if (poolingHalfLifeTokens > 0 && kind !== 'decayed_mean') {
    refuse('parameters.pooling_half_life_tokens', 'applies to the pooling decayed_mean only')
  }
}

function checkArtifacts(keys: ModelKeys, refuse: Refuse): void {
  const list = keys.artifacts ?? []
  const names = new Set<string>()
  for (const [index, artifact] of list.entries()) {
    const at = `artifacts[${index}]`
    if (artifact.name !== undefined && names.has(artifact.name)) refuse(`${at}.name`, 'is used twice')
    if (artifact.name !== undefined) names.add(artifact.name)
    if (artifact.target === 'model' && index > 0) refuse(`${at}.target`, 'model belongs to the first entry')
  }
  if (list.length > 0 && list[0]?.target !== 'model') refuse('artifacts[0].target', 'must be model for the first entry')
}

function checkLimits(keys: ModelKeys, refuse: Refuse): void {
  const inner = keys.limits?.maxConcurrent
  if (keys.maxConcurrent !== undefined && inner !== undefined && keys.maxConcurrent !== inner) {
    refuse('max_concurrent', 'differs from limits.max_concurrent, which is the same key')
  }
}

function filled(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** Line of a key given as a path; of its nearest known parent when the key itself is missing. */
export function findLine(root: YamlMap, path: string): number {
  let line = root.line
  let entries: ReadonlyMap<string, YamlEntry> = root.entries
  for (const part of path.split(/[.[\]]+/).filter((piece) => piece !== '')) {
    const entry: YamlEntry | undefined = entries.get(part)
    if (entry === undefined) break
    line = entry.line
    const { value } = entry
    if (value.kind === 'map') entries = value.entries
    else if (value.kind === 'list')
      entries = new Map(value.items.map((item, index) => [String(index), { line: item.line, value: item }]))
    else break
  }
  return line
}
