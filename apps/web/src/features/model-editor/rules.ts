import { isRecord } from '../../lib/api-error.ts'
import { type KeyPath, type ModelDocument, readModelName, readValue } from './model-text.ts'
import { checkPattern } from './pattern-grammar.ts'
import type { Problem } from './problem.ts'

/** The facts about other models of the server that rules use. */
export interface KnownModels {
  /** Uses of each model, such as `token_classify`, by its name. */
  readonly uses: ReadonlyMap<string, readonly string[]>
  readonly backends: ReadonlyMap<string, string>
}

type Fault = readonly [code: string, path: KeyPath, values?: Readonly<Record<string, string>>]

/**
 * Checks rules over several keys, or over several models. They find faults that would appear when the model is used.
 */
export function checkRules(model: ModelDocument, known: KnownModels | undefined): readonly Problem[] {
  const faults = [
    ...checkDetectors(model, known),
    ...checkPatterns(model),
    ...checkRouter(model, known),
    ...checkKeys(model),
  ]
  return faults.map(([code, path, values = {}]) => {
    const [from, to] = findRange(model, path)
    const { line } = model.lines.linePos(from)
    const severity = code === 'cacheIgnored' ? ('warning' as const) : ('error' as const)
    return { layer: 'rule', severity, code, values, path: path.join('.'), from, to, line }
  })
}

function findRange({ document }: ModelDocument, path: KeyPath): readonly [number, number] {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node: unknown = document.getIn(path.slice(0, depth), true)
    const range = isRecord(node) ? node.range : undefined
    if (Array.isArray(range)) return [Number(range[0]), Number(range[1])]
  }
  return [0, 0]
}

const toTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
const toRecords = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.map((one) => (isRecord(one) ? one : {})) : []
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Detectors exist and detect: by `token_classify`, or by patterns. */
function checkDetectors(model: ModelDocument, known: KnownModels | undefined): readonly Fault[] {
  if (known === undefined) return []
  return toTexts(readValue(model, ['pii', 'detectors'])).flatMap((name, index): Fault[] => {
    const path = ['pii', 'detectors', index]
    const uses = known.uses.get(name)
    if (uses === undefined) return [['noDetector', path, { name }]]
    const detects = uses.includes('token_classify') || known.backends.get(name) === 'pattern'
    return detects ? [] : [['notDetector', path, { name }]]
  })
}

function checkPatterns(model: ModelDocument): readonly Fault[] {
  return toRecords(readValue(model, ['pii_detection', 'patterns'])).flatMap(({ name, match }, index): Fault[] => {
    const path = ['pii_detection', 'patterns', index]
    const faults: Fault[] = isText(name) ? [] : [['patternName', path]]
    const fault = isText(match) ? checkPattern(match) : 'literal'
    return fault === undefined ? faults : [...faults, [`pattern-${fault}`, [...path, 'match']]]
  })
}

function checkRouter(model: ModelDocument, known: KnownModels | undefined): readonly Fault[] {
  const router = readValue(model, ['router'])
  if (!isRecord(router)) return []
  const labels = new Set(toRecords(router.policies).map(({ label }) => label))
  const self = readModelName(model)
  const isRouter = (name: string) => known?.uses.get(name)?.includes('router') === true
  const faults = toRecords(router.candidates).flatMap((candidate, index): Fault[] => {
    const path = ['router', 'candidates', index]
    const name = candidate.model
    return [
      ...toTexts(candidate.labels).flatMap((label, at): Fault[] =>
        labels.has(label) ? [] : [['label', [...path, 'labels', at], { label }]],
      ),
      ...(isText(name) && (name === self || isRouter(name))
        ? [['candidateRouter', [...path, 'model'], { name }] satisfies Fault]
        : []),
      ...(isText(name) && name !== self && known !== undefined && !known.uses.has(name)
        ? [['noCandidate', [...path, 'model'], { name }] satisfies Fault]
        : []),
    ]
  })
  const ignored = router.classifier === 'knn' && router.embedding_cache !== undefined && router.embedding_cache !== null
  return ignored ? [...faults, ['cacheIgnored', ['router', 'embedding_cache']]] : faults
}

/** The upstream's key comes from a variable or from a file, not from both. */
function checkKeys(model: ModelDocument): readonly Fault[] {
  const both = ['api_key_env', 'api_key_file'].every((key) => isText(readValue(model, ['proxy', key])))
  return both ? [['twoKeys', ['proxy', 'api_key_file']]] : []
}
