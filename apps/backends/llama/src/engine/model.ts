import { stat } from 'node:fs/promises'
import { availableMemory } from 'node:process'
import {
  type CallSignals,
  createCallSignals,
  type Embedded,
  type Log,
  type Ranked,
  type RankRequest,
} from '@svc/backend-kit'
import type { GgufHeader } from '@svc/gguf'
import { BUILT_IN_TAG_PAIRS } from '@svc/reply-parser'
import type { LlamaModel } from 'node-llama-cpp'
import { LlamaError, notSupported } from '../errors.ts'
import { findModelAbilities, isCausal, type ModelAbilities } from './abilities.ts'
import { type ChatTemplate, openChatTemplate, type TemplateSources } from './chat-template.ts'
import { type ContextSource, createEmbedder, createGenerator, createRanker } from './contexts.ts'
import { type Decided, decide, type Question } from './decide.ts'
import { type Embedder, type EmbedInput, type EmbedOptions, embed } from './embed.ts'
import { type GeneratedPiece, type GenerateRequest, type Generator, generate } from './generate.ts'
import { createLazy, type Lazy } from './lazy.ts'
import { checkModelFiles } from './model-files.ts'
import { openNative } from './native.ts'
import { openModel, toRefusal } from './open-model.ts'
import { type Ranker, rankByCosine, rankByHead } from './rank.ts'
import { type ReadPrompt, type ReadRequest, readPrompt } from './read-prompt.ts'
import type { Runtime } from './runtime.ts'
import { type Scored, score, type TextScoreRequest, toScoreRequest } from './score.ts'
import type { ModelSettings } from './settings.ts'
import { createSeal, restoreSlot, type SlotFile, saveSlot } from './slot-files.ts'
import { createTokenBytes, type TokenBytes } from './token-bytes.ts'
import { createTokenizer, type Tokenizer } from './tokenizer.ts'

/** The abort signal of a call on a model. */
interface CallOptions {
  readonly signal: AbortSignal
}

/** A slot and its file. */
interface SlotRequest {
  readonly slot: number
  readonly file: string
}

/** A model in memory, ready for calls. A call outside of its settings fails with `not_implemented`. */
export interface EngineModel extends ModelAbilities {
  readonly llamaModel: LlamaModel
  readonly tokenizer: Tokenizer
  readonly tokenBytes: TokenBytes
  readonly settings: ModelSettings
  readonly chatTemplate: ChatTemplate
  /** Its existing contexts: the one for its main use from the start, the others from their first use. */
  readonly generator: Generator | undefined
  readonly embedder: Embedder | undefined
  readonly ranker: Ranker | undefined
  /** The last piece of the latest answer. */
  readonly lastAnswer: GeneratedPiece | undefined
  /** Continues a prompt, see {@link generate}. */
  generate(request: GenerateRequest, options: CallOptions): AsyncGenerator<GeneratedPiece, void, void>
  /** Embeds a text, see {@link embed}. */
  embed(input: EmbedInput, options: EmbedOptions): Promise<Embedded>
  /** Compares texts with a query, see {@link rankByHead} and {@link rankByCosine}. */
  rank(request: RankRequest, options: CallOptions): Promise<Ranked>
  /** Scores texts as continuations, see {@link score}. */
  score(request: TextScoreRequest, options: CallOptions): Promise<Scored>
  /** Reads a prompt with the likelihoods of its tokens, see {@link readPrompt}. */
  readPrompt(request: ReadRequest, options: CallOptions): Promise<ReadPrompt>
  /** Answers questions by yes or no, see {@link decide}. */
  decide(
    request: { readonly document: string; readonly questions: readonly Question[] },
    options: CallOptions,
  ): Promise<Decided>
  /** Writes a slot to a file, see {@link saveSlot}. */
  saveSlot(request: SlotRequest & { readonly maxBytes: number }, options: CallOptions): Promise<SlotFile>
  /** Reads a slot back from a file, see {@link restoreSlot}. */
  restoreSlot(request: SlotRequest, options: CallOptions): Promise<SlotFile>
  /** Ends running calls with `unavailable` and frees the memory. */
  close(): Promise<void>
}

/** Options of loading a model beside its settings. */
export interface LoadOptions {
  readonly signal: AbortSignal
  readonly log: Log
}

/** Memory left to the rest of the machine when contexts are planned. */
const RESERVE_BYTES = 256 * 1024 * 1024

/**
 * Checks a model file and loads it, with the context of its main use.
 *
 * @throws ModelFileError when the file is missing or damaged; LlamaError when the engine refuses it. Messages name the
 *   file without its folder
 */
export async function loadModel(runtime: Runtime, settings: ModelSettings, options: LoadOptions): Promise<EngineModel> {
  const header = checkModelFiles(settings.file)
  for (const { filePath } of settings.loras) checkModelFiles(filePath)
  const { size } = await stat(settings.file)
  const budgetBytes = availableMemory() - size - RESERVE_BYTES
  const llamaModel = await openModel(runtime, settings, { header, signal: options.signal })
  try {
    return await prepareModel({ runtime, settings, header, llamaModel, budgetBytes, size }, options)
  } catch (error) {
    await llamaModel.dispose()
    throw error
  }
}

interface Opened {
  readonly runtime: Runtime
  readonly settings: ModelSettings
  readonly header: GgufHeader
  readonly llamaModel: LlamaModel
  readonly budgetBytes: number
  readonly size: number
}

async function prepareModel(opened: Opened, { signal, log }: LoadOptions): Promise<EngineModel> {
  const { runtime, settings, header, llamaModel } = opened
  const tokenizer = createTokenizer(llamaModel)
  const tokenBytes = createTokenBytes(llamaModel)
  const source: ContextSource = {
    ...opened,
    tokenizer,
    tokenBytes,
    native: openNative(runtime, llamaModel),
    contextSize: chooseContextSize(settings, llamaModel, log),
    threads: settings.threads > 0 ? settings.threads : runtime.defaultThreads,
    causal: isCausal(header),
    log,
  }
  const contexts: Contexts = {
    generator: createLazy(() => createGenerator(source)),
    embedder: createLazy(() => createEmbedder(source)),
    ranker: createLazy(() => createRanker(source)),
  }
  const abilities = findModelAbilities(header, settings, llamaModel)
  await openFirstContext(contexts, abilities, opened)
  signal.throwIfAborted()

  const templates = readTemplates(header)
  const tokens = { bos: tokenizer.bosText, eos: tokenizer.eosText }
  const chatTemplate = openChatTemplate(templates, { tokens, log })
  if (templates.main === undefined && abilities.canGenerate && !abilities.canEmbed) {
    log.warn('the file has no chat template: the model continues text')
  }
  tokenizer.show([chatTemplate.callSample, ...BUILT_IN_TAG_PAIRS.flatMap(({ start, end }) => [start, end])].join('\n'))
  const { cacheTypeKey, cacheTypeValue, loras } = settings
  // Other adapters make other states of the same tokens.
  const adapters = await Promise.all(
    loras.map(async ({ filePath, scale }) => {
      const { size, mtimeMs } = await stat(filePath)
      return [size, mtimeMs, scale]
    }),
  )
  const seal = createSeal([opened.size, [...header.keys], cacheTypeKey, cacheTypeValue, adapters])
  return assembleModel({ llamaModel, tokenizer, tokenBytes, settings, chatTemplate, ...abilities }, contexts, seal)
}

/** An empty template counts as absent. */
function readTemplates({ keys }: GgufHeader): TemplateSources {
  const read = (key: string): string | undefined => {
    const text = keys.get(key)
    return typeof text === 'string' && text !== '' ? text : undefined
  }
  return { main: read('tokenizer.chat_template'), forTools: read('tokenizer.chat_template.tool_use') }
}

interface Contexts {
  readonly generator: Lazy<Generator>
  readonly embedder: Lazy<Embedder>
  readonly ranker: Lazy<Ranker>
}

/** Opens the context of the model's main use, so that a lack of memory shows at load. */
async function openFirstContext(contexts: Contexts, abilities: ModelAbilities, opened: Opened): Promise<void> {
  const { settings, runtime } = opened
  try {
    if (abilities.canEmbed) await contexts.embedder.get()
    else if (abilities.ranking === 'head') await contexts.ranker.get()
    else if (abilities.canGenerate) await contexts.generator.get()
  } catch (error) {
    const [lora] = settings.loras
    if (lora === undefined || error instanceof LlamaError) throw error
    throw toRefusal(runtime, lora.filePath, error)
  }
}

type Fixed = Pick<EngineModel, 'llamaModel' | 'tokenizer' | 'tokenBytes' | 'settings' | 'chatTemplate'> & ModelAbilities

function assembleModel(fixed: Fixed, contexts: Contexts, seal: Buffer): EngineModel {
  const { generator, embedder, ranker } = contexts
  const calls: CallSignals = createCallSignals()
  let lastAnswer: GeneratedPiece | undefined

  /** Runs a call on a context, until the caller aborts or the model closes. */
  const during = <Context, Result>(
    context: Lazy<Context>,
    { signal }: CallOptions,
    work: (context: Context, call: CallOptions) => Promise<Result>,
  ): Promise<Result> => calls.during(signal, async (call) => await work(await context.get(), call))

  return {
    ...fixed,
    get generator() {
      return generator.value
    },
    get embedder() {
      return embedder.value
    },
    get ranker() {
      return ranker.value
    },
    get lastAnswer() {
      return lastAnswer
    },
    async *generate(request, { signal }) {
      if (!fixed.canGenerate) throw notSupported('this model cannot generate text')
      const call = calls.begin(signal)
      try {
        for await (const piece of generate(await generator.get(), request, call)) {
          lastAnswer = piece
          yield piece
        }
      } finally {
        call.end()
      }
    },
    embed: async (input, options) => {
      if (!fixed.canEmbed) {
        throw notSupported('this model makes no embeddings, or was not loaded with "embeddings: true"')
      }
      return await during(embedder, options, (context, call) =>
        embed(context, input, { ...call, truncates: options.truncates }),
      )
    },
    rank: async (request, options) => {
      if (fixed.ranking === 'none') {
        throw notSupported(
          'this model ranks no texts, or was not loaded with "reranking: true" or option rerank:cosine',
        )
      }
      return fixed.ranking === 'cosine'
        ? await during(embedder, options, (context, call) => rankByCosine(context, request, call))
        : await during(ranker, options, (context, call) => rankByHead(context, request, call))
    },
    score: async (request, options) => {
      if (!fixed.canScore) {
        throw notSupported('this model scores no texts, or was not loaded with "known_usecases: [score]"')
      }
      return await during(generator, options, async (context, call) =>
        score(context, await toScoreRequest(context, request, call), call),
      )
    },
    readPrompt: async (request, options) => {
      if (!fixed.canGenerate) throw notSupported('this model reads no prompts')
      return await during(generator, options, (context, call) => readPrompt(context, request, call))
    },
    decide: async (request, options) => {
      if (!fixed.canGenerate) throw notSupported('this model makes no decisions')
      return await during(generator, options, (context, call) =>
        decide({ generator: context, model: fixed }, request, call),
      )
    },
    saveSlot: async (request, options) => {
      assertSlots(fixed)
      return await during(generator, options, (context, call) => saveSlot(context, { ...request, seal }, call))
    },
    restoreSlot: async (request, options) => {
      assertSlots(fixed)
      return await during(generator, options, (context, call) => restoreSlot(context, { ...request, seal }, call))
    },
    close: async () => {
      calls.close()
      const parts = [generator, embedder, ranker]
      await Promise.all(parts.map((part) => part.idle()))
      await Promise.all(parts.map(async (part) => await part.value?.pool.close()))
      await generator.value?.close()
      await fixed.llamaModel.dispose()
    },
  }
}

function assertSlots({ canGenerate, settings }: Pick<EngineModel, 'canGenerate' | 'settings'>): void {
  if (!canGenerate) throw notSupported('this model has no slots')
  if (!settings.slotFiles) {
    throw new LlamaError('precondition_failed', 'slot save/restore is disabled', { code: 'slots_disabled' })
  }
}

function chooseContextSize({ contextSize }: ModelSettings, { trainContextSize }: LlamaModel, log: Log): number {
  if (contextSize <= 0) return trainContextSize
  if (contextSize > trainContextSize) {
    log.warn(`the context of ${contextSize} tokens is larger than the ${trainContextSize} the model was trained on`)
  }
  return contextSize
}
