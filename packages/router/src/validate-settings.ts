import {
  CLASSIFIER_NAMES,
  type ClassifierName,
  checkSettings,
  isWithoutClassifier,
  MAX_DECISIONS,
  MAX_NEIGHBORS,
  MAX_POLICIES,
  type RouterSettings,
  readClassifierName,
  usesSignals,
} from './settings.ts'

/** A mistake in the settings of a router. */
export interface RouterProblem {
  /** Place of the mistake, by the names of a model file: `['candidates', 1, 'labels', 0]`. */
  readonly path: readonly (string | number)[]
  /** The mistake, to follow the path in a sentence. */
  readonly message: string
  /** Whether no classifier can be built: the fallback serves every request. */
  readonly stopsClassifier: boolean
}

type Report = (path: RouterProblem['path'], message: string, stopsClassifier?: boolean) => void

/**
 * All mistakes in the settings of a router. None of them throws, but for values of a wrong type: a router with mistakes
 * answers with its fallback where its classifier cannot be built.
 */
export function validateRouterSettings(settings: RouterSettings): RouterProblem[] {
  checkSettings(settings, 'validateRouterSettings: settings')
  const problems: RouterProblem[] = []
  const report: Report = (path, message, stopsClassifier = true) => problems.push({ path, message, stopsClassifier })
  if (isWithoutClassifier(settings)) {
    if (!usesSignals(settings)) report(['classifier'], 'is none, and there are no rules and no select to decide')
    checkCandidates(settings, report)
    return problems
  }
  const classifier = readClassifierName(settings)
  if (classifier === undefined) report(['classifier'], `must be one of ${CLASSIFIER_NAMES.join(', ')}`)
  checkPolicies(settings, classifier, report)
  checkCandidates(settings, report)
  checkThresholds(settings, classifier, report)
  if (classifier === 'knn') checkKnn(settings, report)
  else if (!settings.classifierModel?.trim()) report(['classifier_model'], 'is missing')
  checkEmbeddingCache(settings, classifier, report)
  return problems
}

function checkPolicies({ policies }: RouterSettings, classifier: ClassifierName | undefined, report: Report): void {
  if (policies.length === 0) report(['policies'], 'must name at least one label')
  const limit = classifier === 'decisions' ? MAX_DECISIONS : MAX_POLICIES
  if (policies.length > limit) report(['policies'], `must name at most ${limit} labels`)
  const seen = new Set<string>()
  for (const [index, { label, description }] of policies.entries()) {
    const path = ['policies', index]
    if (label.trim() === '') report([...path, 'label'], 'is empty')
    else if (seen.has(label)) report([...path, 'label'], `repeats the label "${label}"`)
    if (classifier !== 'knn' && description.trim() === '') report([...path, 'description'], 'is empty')
    seen.add(label)
  }
}

function checkCandidates({ candidates, policies, fallback }: RouterSettings, report: Report): void {
  if (candidates.length === 0) report(['candidates'], 'must name at least one model', false)
  const declared = new Set(policies.map(({ label }) => label))
  for (const [index, { model, labels }] of candidates.entries()) {
    if (model.trim() === '') report(['candidates', index, 'model'], 'is empty', false)
    const seen = new Set<string>()
    for (const [place, label] of labels.entries()) {
      const path = ['candidates', index, 'labels', place]
      if (label.trim() === '') report(path, 'is empty', false)
      else if (!declared.has(label)) report(path, `"${label}" is not a label of policies`, false)
      else if (seen.has(label)) report(path, `repeats the label "${label}"`, false)
      seen.add(label)
    }
  }
  if (!fallback?.trim()) report(['fallback'], 'is missing: requests that no candidate covers fail', false)
}

function checkThresholds(settings: RouterSettings, classifier: ClassifierName | undefined, report: Report): void {
  const { activationThreshold = 0 } = settings
  if (activationThreshold < 0 && classifier !== 'decisions') {
    report(['activation_threshold'], 'is below 0: the default applies', false)
  } else checkScore(activationThreshold, classifier, ['activation_threshold'], report)
  checkCount(settings.classifierCacheSize, ['classifier_cache_size'], report)
  if (classifier === 'knn' && settings.activationThreshold) {
    report(['activation_threshold'], 'has no effect with knn: set knn.vote_threshold', false)
  }
}

function checkKnn({ knn }: RouterSettings, report: Report): void {
  if (knn === undefined) {
    report(['knn'], 'is missing')
    return
  }
  if (!knn.embeddingModel.trim()) report(['knn', 'embedding_model'], 'is missing')
  checkFraction(knn.similarityThreshold, ['knn', 'similarity_threshold'], report)
  checkFraction(knn.voteThreshold, ['knn', 'vote_threshold'], report)
  if (knn.k !== undefined && !(Number.isInteger(knn.k) && knn.k >= 0 && knn.k <= MAX_NEIGHBORS)) {
    report(['knn', 'k'], `must be a whole number from 0 to ${MAX_NEIGHBORS}`)
  }
}

function checkEmbeddingCache(
  { embeddingCache: cache }: RouterSettings,
  classifier: ClassifierName | undefined,
  report: Report,
): void {
  if (cache === undefined) return
  if (classifier === 'knn') {
    report(['embedding_cache'], 'is ignored with knn, which embeds each prompt', false)
    return
  }
  const only: Report = (path, message) => report(path, `${message}: the cache is not used`, false)
  if (!cache.embeddingModel.trim()) only(['embedding_cache', 'embedding_model'], 'is missing')
  checkFraction(cache.similarityThreshold, ['embedding_cache', 'similarity_threshold'], only)
  checkScore(cache.confidenceThreshold, classifier, ['embedding_cache', 'confidence_threshold'], only)
}

/** The scores of `colbert` come from its ranking model, and need not be probabilities. */
function checkScore(
  value: number | undefined,
  classifier: ClassifierName | undefined,
  path: RouterProblem['path'],
  report: Report,
): void {
  if (classifier !== 'colbert') checkFraction(value, path, report)
  else if (value !== undefined && !(Number.isFinite(value) && value >= 0)) report(path, 'must be a number, 0 or more')
}

function checkFraction(value: number | undefined, path: RouterProblem['path'], report: Report): void {
  if (value !== undefined && !(value >= 0 && value <= 1)) report(path, 'must be a number from 0 to 1')
}

function checkCount(value: number | undefined, path: RouterProblem['path'], report: Report): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
    report(path, 'must be a whole number, 0 or more')
}
