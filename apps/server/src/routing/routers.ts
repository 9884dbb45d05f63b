import { SvcError } from '@svc/errors'
import type { ModelDirectory } from '@svc/router'
import type { Corpora, Corpus } from '@svc/router/corpus'
import type { ModelConfig } from '../catalog/model-config.ts'
import { isRouter } from '../catalog/serving.ts'
import { type BuildRouterOptions, type BuiltRouter, buildRouter } from './built-router.ts'

/** The routers of a server, by their models. */
export interface Routers {
  /** The router of a model as its file, and the files of the models that it asks, are now. */
  open(model: ModelConfig): Promise<BuiltRouter>
  /** All models that are routers, in byte order. */
  list(): readonly ModelConfig[]
  /** @throws {SvcError} `not_found` where no model has the name, `invalid_request` where it is not a router */
  get(name: string): ModelConfig
  /** The corpus that serves under a store name; also one whose model has changed since. */
  openedCorpus(storeName: string): Corpus | undefined
  /** Has every router built anew by its next request. Requests under way finish on the old one. */
  rebuild(): void
  close(): Promise<void>
}

/** Options of {@link createRouters}. */
export interface RoutersOptions extends Omit<BuildRouterOptions, 'directory' | 'corpora' | 'listRouters'> {
  readonly listModels: () => readonly ModelConfig[]
  readonly corpora: Corpora
}

interface KnownRouter {
  /** The models that the router asks, as they were when it was built. */
  readonly asked: ReadonlyMap<string, ModelConfig | undefined>
  readonly built: Promise<BuiltRouter>
}

/** Makes the routers; each is built by its first request. */
export function createRouters(options: RoutersOptions): Routers {
  const { findModel, corpora } = options
  const closing = new AbortController()
  let known = new WeakMap<ModelConfig, KnownRouter>()
  const opened = new Map<string, Corpus>()
  const directory: ModelDirectory = {
    find(name) {
      const model = findModel(name.trim())
      if (model === undefined) return 'missing'
      return isRouter(model) ? 'router' : 'model'
    },
  }
  const noted: Pick<Corpora, 'open'> = {
    open(wanted) {
      const corpus = corpora.open(wanted)
      opened.set(wanted.name, corpus)
      return corpus
    },
  }

  const listRouters = (): readonly ModelConfig[] => options.listModels().filter(isRouter)

  const build = (model: ModelConfig): KnownRouter => {
    const asked = new Map(listAskedModels(model).map((name) => [name, findModel(name)]))
    const built = buildRouter(model, { ...options, directory, corpora: noted, listRouters, signal: closing.signal })
    return { asked, built }
  }

  return {
    async open(model) {
      const before = known.get(model)
      if (before !== undefined && [...before.asked].every(([name, asked]) => findModel(name) === asked)) {
        return await before.built
      }
      const now = build(model)
      known.set(model, now)
      try {
        return await now.built
      } catch (error) {
        // The next request tries again.
        if (known.get(model) === now) known.delete(model)
        throw error
      }
    },
    list: listRouters,
    get(name) {
      const model = findModel(name)
      if (model === undefined) throw refuse('not_found', `model "${name}" not found`)
      if (!isRouter(model)) throw refuse('invalid_request', `model "${name}" is not a router`)
      return model
    },
    openedCorpus: (storeName) => opened.get(storeName),
    rebuild() {
      known = new WeakMap()
    },
    async close() {
      closing.abort(new SvcError('cancelled', 'the server stops', { code: 'shutting_down' }))
      await corpora.close()
    },
  }
}

function listAskedModels({ router }: ModelConfig): string[] {
  const names = [router?.classifierModel, router?.knn?.embeddingModel, router?.embeddingCache?.embeddingModel]
  return names.flatMap((name = '') => (name.trim() === '' ? [] : [name.trim()]))
}

function refuse(kind: 'not_found' | 'invalid_request', message: string): SvcError {
  return new SvcError(kind, message, {
    code: kind === 'not_found' ? 'model_not_found' : 'not_a_router',
    details: { type: 'invalid_request_error', param: 'router' },
  })
}
