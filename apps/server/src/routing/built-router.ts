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
import type { ModelConfig } from '../catalog/model-config.ts'
import { toRouterSettings } from '../catalog/router-block.ts'
import type { ConversationWriter } from '../inference/operations/operation-runner.ts'
import type { Clock, Logger } from '../ports.ts'
import { readClassifierTemplate } from './classifier-template.ts'
import { fingerprintModel } from './embedding-fingerprint.ts'
import type { ModelPorts } from './model-ports.ts'
import { renderSystemTurn } from './system-turn.ts'

/** A router with the parts that its endpoints show. */
export interface BuiltRouter {
  readonly router: Router
  readonly settings: RouterSettings
  /** Of a `knn` router whose embedding model is there. */
  readonly corpus: Corpus | undefined
  /** Embeds the prompts of a `knn` router. */
  readonly embedder: Embedder | undefined
  /** Why the corpus cannot be used until a restart. */
  readonly corpusFault: SvcError | undefined
}

/** What {@link buildRouter} needs. */
export interface BuildRouterOptions {
  readonly ports: ModelPorts
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly directory: ModelDirectory
  readonly corpora: Pick<Corpora, 'open'>
  /** Shared by all routers. */
  readonly decisionLimit: CallLimit
  readonly prompts: ConversationWriter
  readonly clock: Clock
  readonly logger: Logger
}

/** Builds the router of a model. A mistake in its block makes a router that serves by its fallback. */
export async function buildRouter(
  { name, router: keys = {} }: ModelConfig,
  options: BuildRouterOptions & { readonly signal: AbortSignal },
): Promise<BuiltRouter> {
  const { ports, findModel, clock, logger, signal } = options
  const settings = toRouterSettings(keys)
  const find = (model: string | undefined): ModelConfig | undefined =>
    model === undefined || model.trim() === '' ? undefined : findModel(model.trim())
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
      ? openCorpus(name, settings, { embedder, ports, corpora: options.corpora })
      : { corpus: undefined, corpusFault: undefined }
  const router = createRouter({
    name,
    settings,
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
  return { router, settings, corpus, embedder: embedsPrompts, corpusFault }
}

function openCorpus(
  router: string,
  settings: RouterSettings,
  { embedder, ports, corpora }: { embedder: ModelConfig; ports: ModelPorts; corpora: Pick<Corpora, 'open'> },
): Pick<BuiltRouter, 'corpus' | 'corpusFault'> {
  try {
    const corpus = corpora.open({
      name: resolveCorpusName(router, settings),
      embedder: ports.toEmbedder(embedder),
      embeddingModel: embedder.name,
      fingerprint: createFingerprint(fingerprintModel(embedder), settings.knn?.embeddingRevision),
    })
    return { corpus, corpusFault: undefined }
  } catch (error) {
    if (!SvcError.is(error)) throw error
    return { corpus: undefined, corpusFault: error }
  }
}
