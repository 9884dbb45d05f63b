import { type RouterProblem, type RouterSettings, validateRouterSettings } from '@svc/router'
import { toRuleSettings, validateSignals } from '@svc/router/signals'
import type { RouterSettings as RouterKeys } from './model-config.ts'
import type { RouterNotes } from './router-notes.ts'
import { RULE_EXPRESSIONS } from './rule-expressions.ts'
import { describesRouter } from './serving.ts'

/** The `router` block of a file in the words of the router library. */
export function toRouterSettings(keys: RouterKeys): RouterSettings {
  const { policies = [], candidates = [], embeddingCache, knn, rules, select } = keys
  return {
    ...keys,
    policies: policies.map(({ label = '', description = '' }) => ({ label, description })),
    candidates: candidates.map(({ model = '', labels = [] }) => ({ model, labels })),
    embeddingCache: embeddingCache && { ...embeddingCache, embeddingModel: embeddingCache.embeddingModel ?? '' },
    knn: knn && { ...knn, embeddingModel: knn.embeddingModel ?? '' },
    rules: toRuleSettings(rules),
    select: select && { ...select, by: select.by ?? 'fitting' },
  }
}

/** Reads the notes of a block; undefined for a model that is not a router. A mistake never costs the model. */
export function readRouterNotes(
  keys: RouterKeys | undefined,
  { file, findLine }: { readonly file: string; readonly findLine: (key: string) => number },
): RouterNotes | undefined {
  if (keys === undefined || !describesRouter(keys)) return undefined
  const settings = toRouterSettings(keys)
  const expressions = RULE_EXPRESSIONS
  const found = [...validateRouterSettings(settings), ...validateSignals(settings, { expressions })]
  const problems = found.map(({ path, message }) => {
    const key = formatKey(path)
    return { file, line: findLine(key), key, reason: message }
  })
  const references = listReferences(settings).flatMap(({ path, model }) => {
    const key = formatKey(path)
    return model === '' ? [] : [{ model, key, line: findLine(key) }]
  })
  return { problems, references }
}

interface NamedModel {
  readonly path: RouterProblem['path']
  readonly model: string
}

function listReferences(settings: RouterSettings): NamedModel[] {
  const { classifier, classifierModel = '', candidates, fallback = '', embeddingCache, knn } = settings
  const isKnn = classifier === 'knn'
  const asksNone = isKnn || classifier === 'none'
  return [
    { path: ['classifier_model'], model: asksNone ? '' : classifierModel.trim() },
    { path: ['knn', 'embedding_model'], model: isKnn ? (knn?.embeddingModel.trim() ?? '') : '' },
    {
      path: ['embedding_cache', 'embedding_model'],
      model: asksNone ? '' : (embeddingCache?.embeddingModel.trim() ?? ''),
    },
    ...candidates.map(({ model }, index) => ({ path: ['candidates', index, 'model'], model: model.trim() })),
    { path: ['fallback'], model: fallback.trim() },
  ]
}

/** A path as files are reported: `router.candidates[1].model`. */
export function formatKey(path: RouterProblem['path']): string {
  return `router${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')}`
}
