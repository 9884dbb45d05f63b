import { SvcError } from '@svc/errors'
import {
  type CallLimit,
  createRouter,
  type Embedder,
  type ModelDirectory,
  type Router,
  type RouterSettings,
  resolveCorpusName,
} from '@svc/router'
import { type Corpora, type Corpus, createFingerprint } from '@svc/router/corpus'
import { createSignals, type LatencyBook, type Signals, type Targets } from '@svc/router/signals'
import type { ModelConfig } from '../catalog/model-config.ts'
import { toRouterSettings } from '../catalog/router-block.ts'
import { RULE_EXPRESSIONS } from '../catalog/rule-expressions.ts'
import type { ConversationWriter } from '../inference/operations/operation-runner.ts'
import type { Clock, Logger } from '../ports.ts'
import { readClassifierTemplate } from './classifier-template.ts'
import { fingerprintModel } from './embedding-fingerprint.ts'
import { createModelPorts, type ModelPortsOptions } from './model-ports.ts'
import { renderSystemTurn } from './system-turn.ts'

/** A router with the parts that its endpoints show. */
export interface BuiltRouter {
  readonly router: Router
  readonly settings: RouterSettings
  /** Whether the router decides by more than its classifier: it needs the facts of a request. */
  readonly hasSignals: boolean
  /** The corpus of a `knn` router whose embedding model is there. */
  readonly corpus: Corpus | undefined
  /** Embeds the prompts of a `knn` router. */
  readonly embedder: Embedder | undefined
  /** Why the corpus cannot be used until a restart. */
  readonly corpusFault: SvcError | undefined
}

/** Options of {@link buildRouter}. */
export interface BuildRouterOptions {
  /** Runs the models that routers ask. */
  readonly models: ModelPortsOptions
  readonly findModel: (name: string) => ModelConfig | undefined
  /** All models that are routers. */
  readonly listRouters: () => readonly ModelConfig[]
  readonly directory: ModelDirectory
  readonly corpora: Pick<Corpora, 'open'>
  /** State and speed of the models that serve. */
  readonly targets: Targets
  readonly latencies: LatencyBook
  /** Shared by all routers. */
  readonly decisionLimit: CallLimit
  readonly prompts: ConversationWriter
  readonly clock: Clock
  readonly logger: Logger
}

/** Builds the router of a model. A mistake in its block makes a router that serves by its fallback. */
export async function buildRouter(
  model: ModelConfig,
  options: BuildRouterOptions & { readonly signal: AbortSignal },
): Promise<BuiltRouter> {
  const { name, router: keys = {} } = model
  const { findModel, clock, logger, signal } = options
  const ports = createModelPorts(() => [model], options.models)
  const settings = toRouterSettings(keys)
  const find = (asked: string | undefined): ModelConfig | undefined =>
    asked === undefined || asked.trim() === '' ? undefined : findModel(asked.trim())
  const [classifier, embedder, cacheEmbedder] = [
    find(settings.classifierModel),
    find(settings.knn?.embeddingModel),
    find(settings.embeddingCache?.embeddingModel),
  ]
  const isScore = (settings.classifier || 'score') === 'score'
  const template =
    isScore && classifier !== undefined
      ? await readClassifierTemplate(classifier, { prompts: options.prompts, logger, signal })
      : undefined
  const embedsPrompts = embedder && ports.toEmbedder(embedder)
  const { corpus, corpusFault } =
    settings.classifier === 'knn' && embedder !== undefined
      ? openCorpus(resolveCorpusName(name, settings), { settings, embedder, options })
      : { corpus: undefined, corpusFault: undefined }
  const signals = createRouterSignals(settings, options)
  const router = createRouter({
    name,
    settings,
    signals,
    directory: options.directory,
    decisionLimit: options.decisionLimit,
    scorer: classifier && ports.toScorer(classifier, template),
    reranker: classifier && ports.toReranker(classifier),
    decisionModel: classifier && ports.toDecisionModel(classifier),
    embedder: embedsPrompts,
    cacheEmbedder: cacheEmbedder && ports.toEmbedder(cacheEmbedder),
    corpus,
    systemTurn: renderSystemTurn(keys.classifierSystemTemplate, { policies: settings.policies, router: name, logger }),
    clock,
    logger,
  })
  for (const { path, message, stopsClassifier } of router.problems) {
    if (stopsClassifier)
      logger.error({ router: name, key: path.join('.'), reason: message }, 'a router has no classifier')
  }
  return { router, settings, hasSignals: signals !== undefined, corpus, embedder: embedsPrompts, corpusFault }
}

/** The rules of a router; undefined for one whose classifier decides by itself. */
function createRouterSignals(
  settings: RouterSettings,
  { targets, latencies, clock }: Pick<BuildRouterOptions, 'targets' | 'latencies' | 'clock'>,
): Signals | undefined {
  const { rules, sticky, select } = settings
  if (rules === undefined && sticky === undefined && select === undefined) return undefined
  return createSignals({ settings, targets, latencies, clock, expressions: RULE_EXPRESSIONS })
}

/** A corpus outlives the routers that use it: its texts are filtered by the present policies of all of them. */
function openCorpus(
  name: string,
  {
    settings,
    embedder,
    options: { models, corpora, listRouters },
  }: { settings: RouterSettings; embedder: ModelConfig; options: BuildRouterOptions },
): Pick<BuiltRouter, 'corpus' | 'corpusFault'> {
  const usesCorpus = (router: ModelConfig): boolean =>
    resolveCorpusName(router.name, toRouterSettings(router.router ?? {})) === name
  try {
    const corpus = corpora.open({
      name,
      embedder: createModelPorts(() => listRouters().filter(usesCorpus), models).toEmbedder(embedder),
      embeddingModel: embedder.name,
      fingerprint: createFingerprint(fingerprintModel(embedder), settings.knn?.embeddingRevision),
    })
    return { corpus, corpusFault: undefined }
  } catch (error) {
    if (!SvcError.is(error)) throw error
    return { corpus: undefined, corpusFault: error }
  }
}
