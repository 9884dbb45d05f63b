import { join } from 'node:path'
import { type Embedder, resolveRouterSettings } from '@svc/router'
import { type CorpusStore, createCorpora, type StoredEntry } from '@svc/router/corpus'
import {
  type EmbeddedTexts,
  embedLabelledTexts,
  evaluateRouter,
  fitActivationThreshold,
  fitKnnThresholds,
} from '@svc/router/fit'
import { createCorpusFiles } from '@svc/router/node'
import { createConfigStore } from '../catalog/config-store.ts'
import { findModel } from '../catalog/list-models.ts'
import { toRouterSettings } from '../catalog/router-block.ts'
import { isRouter } from '../catalog/serving.ts'
import type { PlatformOptions } from '../platform/open-platform.ts'
import type { BuiltRouter } from '../routing/built-router.ts'
import { CORPUS_FOLDER } from '../routing/corpus-folder.ts'
import { formatActivationFit, formatEvaluation, formatKnnFit } from './router-report.ts'
import { print } from './terminal.ts'
import { abortOnInterrupt, readLines, refuseCommand, withInference } from './with-inference.ts'

/** A router, and the labelled texts that a command tries on it. */
export interface RouterTask {
  readonly name: string
  /** Absolute path of a file of JSON lines; undefined for the corpus of the router. */
  readonly file: string | undefined
}

/**
 * `svc router fit NAME [FILE]`: proposes thresholds for the corpus of a `knn` router and the labelled texts beside it, or
 * for labelled texts.
 */
export async function fitRouterCommand(options: PlatformOptions, { name, file }: RouterTask): Promise<void> {
  const signal = abortOnInterrupt()
  const settings = readRouter(options, name)
  if (settings.classifier === 'knn') {
    const entries = await readCorpus(options, { name, settings, signal })
    const read = file === undefined ? NO_TEXTS : await embedFile(options, { name, file, settings, entries, signal })
    const { texts } = read
    print(formatKnnFit(name, { report: await fitKnnThresholds(entries, { settings, texts, signal }), read }))
    return
  }
  if (file === undefined) {
    throw refuseCommand(`router "${name}" has no corpus: name a file of labelled texts, svc router fit ${name} FILE`)
  }
  const evaluation = await withRouter(options, { name, signal }, ({ router }) =>
    evaluateRouter(router, { lines: readLines(file), signal }),
  )
  const { scored, total, failedCount } = evaluation
  if (total > 0 && failedCount === total) throw refuseCommand(`the classifier of router "${name}" failed on every text`)
  print(formatActivationFit(name, { report: fitActivationThreshold(scored, { settings }), evaluation }))
}

const NO_TEXTS: EmbeddedTexts = { texts: [], problems: [], problemCount: 0 }

/**
 * `svc router eval NAME FILE`: routes labelled texts and counts the ones that the right model serves.
 *
 * @param task.minRate the least share of texts, 0 to 1
 * @returns whether the share is reached
 */
export async function evaluateRouterCommand(
  options: PlatformOptions,
  { name, file, minRate }: RouterTask & { readonly file: string; readonly minRate: number },
): Promise<boolean> {
  const signal = abortOnInterrupt()
  readRouter(options, name)
  const evaluation = await withRouter(options, { name, signal }, ({ router }) =>
    evaluateRouter(router, { lines: readLines(file), signal }),
  )
  print(formatEvaluation(name, evaluation))
  if (evaluation.total === 0) throw refuseCommand(`${file} has no labelled text`)
  return evaluation.rate >= minRate
}

type Settings = ReturnType<typeof toRouterSettings>

/** The settings of a router. @throws {SvcError} for a name that no router has */
function readRouter({ config, demoModels }: PlatformOptions, name: string): Settings {
  const store = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  })
  const model = findModel(store, name)
  if (!isRouter(model) || model.router === undefined) throw refuseCommand(`model "${name}" is not a router`)
  return toRouterSettings(model.router)
}

/** The stored texts of a router with their vectors. Nothing is embedded. */
async function readCorpus(
  { config, clock }: PlatformOptions,
  { name, settings, signal }: { readonly name: string; readonly settings: Settings; readonly signal: AbortSignal },
) {
  const embedder: Embedder = { embed: () => Promise.reject(refuseCommand('the corpus is only read')) }
  const corpora = createCorpora({ store: openCorpusFiles(config.dataPath), clock })
  const { knn } = resolveRouterSettings(name, settings)
  const corpus = corpora.open({ name: knn?.storeName ?? '', embedder, embeddingModel: '', fingerprint: '' })
  try {
    return await corpus.readEntries({ signal })
  } finally {
    await corpora.close()
  }
}

/** Embeds the texts of a file by the model of a router's corpus. */
function embedFile(
  options: PlatformOptions,
  {
    name,
    file,
    settings,
    entries,
    signal,
  }: {
    readonly name: string
    readonly file: string
    readonly settings: Settings
    readonly entries: readonly StoredEntry[]
    readonly signal: AbortSignal
  },
): Promise<EmbeddedTexts> {
  return withRouter(options, { name, signal }, async ({ embedder, corpus }) => {
    if (embedder === undefined || corpus === undefined) {
      throw refuseCommand(
        `the embedding model "${settings.knn?.embeddingModel ?? ''}" of router "${name}" is not there`,
      )
    }
    if (entries.some(({ embeddingFingerprint }) => embeddingFingerprint !== corpus.fingerprint)) {
      throw refuseCommand(
        `the embedding model of router "${name}" has changed since its corpus was embedded: restart the server, which embeds it anew, then ask the router once`,
      )
    }
    return await embedLabelledTexts(readLines(file), { settings, embedder, signal })
  })
}

const openCorpusFiles = (dataPath: string): CorpusStore => createCorpusFiles({ folder: join(dataPath, CORPUS_FOLDER) })

/** The files of corpora for a process that changes none of them. Texts that are embedded anew stay in memory. */
function openToRead(dataPath: string): CorpusStore {
  const refuseChange = () => Promise.reject(refuseCommand('this command changes no corpus'))
  return {
    read: (name, call) => openCorpusFiles(dataPath).read(name, call),
    append: refuseChange,
    remove: refuseChange,
    async replace(_name, lines) {
      for await (const _ of lines);
    },
  }
}

/** Works with a router of the models folder, beside a server that may run. */
function withRouter<T>(
  options: PlatformOptions,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  work: (built: BuiltRouter) => Promise<T>,
): Promise<T> {
  const corpusStore = openToRead(options.config.dataPath)
  return withInference(options, { corpusStore, signal }, async ({ routing: { routers } }) => {
    const built = await routers.open(routers.get(name))
    signal.throwIfAborted()
    return await work(built)
  })
}
