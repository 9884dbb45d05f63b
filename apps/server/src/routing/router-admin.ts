import { SvcError } from '@svc/errors'
import { type EmbeddingCacheStats, type RouterDecision, type RouterSettings, resolveCorpusName } from '@svc/router'
import type { AddedEntries, Corpus, CorpusEntry, CorpusStats } from '@svc/router/corpus'
import type { RequestFacts } from '@svc/router/signals'
import { formatProblem } from '../catalog/config-problem.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { formatKey } from '../catalog/router-block.ts'
import { listRouterProblems } from '../catalog/router-problems.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import type { BuiltRouter } from './built-router.ts'
import { RoutingCaller } from './caller.ts'
import type { Routers } from './routers.ts'

/** A router as administrators see it. */
export interface RouterView {
  readonly name: string
  readonly settings: RouterSettings
  /** Mistakes in its block and the models that it names. */
  readonly problems: readonly string[]
  readonly cacheStats: EmbeddingCacheStats | undefined
  /** The corpus of a `knn` router, when it is in memory. */
  readonly corpus: CorpusStats | undefined
}

/** A corpus, with the names under which it is shown. */
export interface NamedCorpus {
  readonly router: string
  readonly storeName: string
  readonly embeddingModel: string
}

/** A text for which a router decides. */
export interface AskedDecision {
  /** Its name. */
  readonly router: string
  readonly input: string
  /** @default nothing is known beside the text */
  readonly facts?: RequestFacts | undefined
}

/** The work on routers beside their requests. */
export interface RouterAdmin {
  list(options: { readonly signal: AbortSignal }): Promise<readonly RouterView[]>
  /** Decides for a text, without a request and without a record. */
  decide(asked: AskedDecision, context: RequestContext): Promise<RouterDecision>
  /** @throws {SvcError} `router_corpus_entry`, `router_corpus_full`; nothing is added then */
  addEntries(name: string, entries: readonly CorpusEntry[], context: RequestContext): Promise<AddedEntries>
  readCorpus(name: string, options: { readonly signal: AbortSignal }): Promise<NamedCorpus & CorpusStats>
  /** @returns the number of entries that there were */
  clearCorpus(name: string, options: { readonly signal: AbortSignal }): Promise<number>
}

/** Options of {@link createRouterAdmin}. */
export interface RouterAdminOptions {
  readonly routers: Routers
  readonly findModel: (name: string) => ModelConfig | undefined
}

/** Makes the administration of routers. */
export function createRouterAdmin({ routers, findModel }: RouterAdminOptions): RouterAdmin {
  const view = async (model: ModelConfig, signal: AbortSignal): Promise<RouterView> => {
    const built = await routers.open(model)
    const { router, settings, corpus } = built
    return {
      name: model.name,
      settings,
      problems: listProblems(model, built),
      cacheStats: router.readCacheStats(),
      // A corpus that is not in memory would be read from its file: too much for a status.
      corpus: corpus?.isLive === true ? await corpus.readStats({ signal }) : undefined,
    }
  }

  const listProblems = (model: ModelConfig, { router, corpusFault }: BuiltRouter): string[] => {
    const own = router.problems.map(({ path, message }) => `${formatKey(path)}: ${message}`)
    const noted = listRouterProblems(model, findModel)
    const others = noted.filter(({ key, reason }) => !own.includes(`${key}: ${reason}`)).map(formatProblem)
    return [...own, ...others, ...(corpusFault === undefined ? [] : [`router.knn: ${corpusFault.message}`])]
  }

  /** The corpus of a `knn` router; one that its model has left behind can still be cleared. */
  const open = async (
    name: string,
  ): Promise<BuiltRouter & { readonly model: ModelConfig; readonly storeName: string }> => {
    const model = routers.get(name)
    const built = await routers.open(model)
    const { settings } = built
    if (settings.classifier !== 'knn') {
      throw refuse(`router "${name}" has no corpus: its classifier is ${settings.classifier || 'score'}, not knn`)
    }
    return { ...built, model, storeName: resolveCorpusName(model.name, settings) }
  }

  return {
    list: ({ signal }) => Promise.all(routers.list().map((model) => view(model, signal))),
    async decide({ router: name, input, facts }, context) {
      const { router } = await routers.open(routers.get(name))
      const caller = new RoutingCaller(context)
      return await router.decide(input, { signal: context.signal, caller, facts, isTrial: true })
    },
    async addEntries(name, entries, context) {
      const opened = await open(name)
      const labels = new Set(opened.settings.policies.map(({ label }) => label))
      const { signal } = context
      return await needCorpus(opened).add(entries, { labels, signal, caller: new RoutingCaller(context) })
    },
    async readCorpus(name, { signal }) {
      const opened = await open(name)
      const { model, storeName, settings } = opened
      const corpus = opened.corpus ?? routers.openedCorpus(storeName) ?? needCorpus(opened)
      const embeddingModel = settings.knn?.embeddingModel ?? ''
      return { router: model.name, storeName, embeddingModel, ...(await corpus.readStats({ signal })) }
    },
    async clearCorpus(name, { signal }) {
      const opened = await open(name)
      const corpus = opened.corpus ?? routers.openedCorpus(opened.storeName) ?? needCorpus(opened)
      const cleared = await corpus.clear({ signal })
      // An empty corpus takes the vectors of another model.
      if (opened.corpus === undefined) routers.rebuild()
      return cleared
    },
  }
}

/** @throws {SvcError} the reason why a `knn` router has no corpus */
function needCorpus({ corpus, corpusFault, settings }: BuiltRouter): Corpus {
  if (corpus !== undefined) return corpus
  if (corpusFault !== undefined) throw corpusFault
  throw refuse(`the embedding model "${settings.knn?.embeddingModel ?? ''}" of the router is not there`)
}

function refuse(message: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'no_corpus',
    details: { type: 'invalid_request_error', param: 'router' },
  })
}
