import { stat } from 'node:fs/promises'
import path from 'node:path'
import { availableMemory } from 'node:process'
import type { LlamaModel } from 'node-llama-cpp'
import { LlamaError, notSupported } from '../errors.ts'
import { type CallSignals, createCallSignals } from './call-signals.ts'
import { type ChatTemplate, openChatTemplate } from './chat-template.ts'
import { type ContextSource, createEmbedder, createGenerator } from './contexts.ts'
import { type Embedded, type Embedder, type EmbedInput, embed } from './embed.ts'
import { type GeneratedPiece, type GenerateRequest, type Generator, generate } from './generate.ts'
import type { GgufHeader } from './gguf-header.ts'
import { createLazy, type Lazy } from './lazy.ts'
import type { Log } from './log.ts'
import { checkModelFiles } from './model-files.ts'
import { openNative } from './native.ts'
import type { Runtime } from './runtime.ts'
import type { ModelSettings } from './settings.ts'
import { createTokenBytes, type TokenBytes } from './token-bytes.ts'
import { createTokenizer, type Tokenizer } from './tokenizer.ts'

/** How one call on a model ends early. */
interface CallOptions {
  readonly signal: AbortSignal
}

/** A model in memory, ready for calls. */
export interface EngineModel {
  readonly llamaModel: LlamaModel
  readonly tokenizer: Tokenizer
  readonly tokenBytes: TokenBytes
  readonly settings: ModelSettings
  readonly chatTemplate: ChatTemplate
  /** Whether it can continue text, and whether it was loaded to embed. */
  readonly canGenerate: boolean
  readonly canEmbed: boolean
  /** Its contexts as far as they exist: the one it was loaded for from the start, the other from the first use on. */
  readonly generator: Generator | undefined
  readonly embedder: Embedder | undefined
  /** The end of the answer that was made last. */
  readonly lastAnswer: GeneratedPiece | undefined
  /** Continues a prompt, see {@link generate}. */
  generate(request: GenerateRequest, options: CallOptions): AsyncGenerator<GeneratedPiece, void, void>
  /** Embeds a text, see {@link embed}. */
  embed(input: EmbedInput, options: CallOptions): Promise<Embedded>
  /** Ends running calls with `unavailable` and frees the memory. */
  close(): Promise<void>
}

/** What loading a model needs beside its settings. */
export interface LoadOptions {
  readonly signal: AbortSignal
  readonly log: Log
}

/** Architectures that read a whole text at once and cannot continue it; the engine aborts when asked to. */
const EMBEDDING_ARCHITECTURES =
  /^(bert|modern-bert|nomic-bert|nomic-bert-moe|neo-bert|jina-bert-v[23]|eurobert|gemma-embedding|llama-embed|t5|t5encoder)$/
/** Pooling type of models that score a pair of texts. */
const RANK_POOLING = 4
/** Left to the rest of the machine when contexts are planned. */
const RESERVE_BYTES = 256 * 1024 * 1024

/**
 * Checks a model file and loads it, with the context it is for.
 *
 * @throws GgufError where the file is missing or unsound; LlamaError where the engine refuses it. Messages name the
 * file without its folder
 */
export async function loadModel(runtime: Runtime, settings: ModelSettings, options: LoadOptions): Promise<EngineModel> {
  const header = await checkModelFiles(settings.file)
  for (const { filePath } of settings.loras) await checkModelFiles(filePath)
  const { size } = await stat(settings.file)
  const budgetBytes = availableMemory() - size - RESERVE_BYTES
  const llamaModel = await openModel(runtime, settings, options.signal)
  try {
    return await prepareModel({ runtime, settings, header, llamaModel, budgetBytes }, options)
  } catch (error) {
    await llamaModel.dispose()
    throw error
  }
}

async function openModel(runtime: Runtime, settings: ModelSettings, signal: AbortSignal): Promise<LlamaModel> {
  runtime.takeErrors()
  try {
    return await runtime.llama.loadModel({
      modelPath: settings.file,
      gpuLayers: chooseGpuLayers(runtime, settings),
      checkTensors: settings.checkTensors,
      useMmap: settings.mmap,
      useMlock: settings.mlock,
      loadSignal: signal,
      ignoreMemorySafetyChecks: true,
    })
  } catch (error) {
    signal.throwIfAborted()
    const name = path.basename(settings.file)
    const [line = 'the engine cannot load it'] = runtime.takeErrors()
    const reason = line.replaceAll(settings.file, name)
    throw new LlamaError('unprocessable', `${name}: ${reason}`, { code: 'bad_model_file', cause: error })
  }
}

/** More layers than any model has: as many as the card has room for. */
const ALL_LAYERS = 9999

/** An engine without a graphics card takes none, whatever is wished. */
function chooseGpuLayers({ llama }: Runtime, { gpuLayers }: ModelSettings): number | 'auto' {
  if (llama.gpu === false) return 0
  return gpuLayers >= ALL_LAYERS ? 'auto' : gpuLayers
}

interface Opened {
  readonly runtime: Runtime
  readonly settings: ModelSettings
  readonly header: GgufHeader
  readonly llamaModel: LlamaModel
  readonly budgetBytes: number
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
    log,
  }
  const parts = { llamaModel, tokenizer, tokenBytes, settings }
  const generator = createLazy(() => createGenerator(source))
  const embedder = createLazy(() => createEmbedder(source))
  const canGenerate = isGenerating(header)
  const canEmbed = (settings.embeddings || !canGenerate) && !isRanking(header)
  if (canEmbed) await embedder.get()
  else if (canGenerate) await generator.get()
  signal.throwIfAborted()

  const templateText = header.keys.get('tokenizer.chat_template')
  const chatTemplate = openChatTemplate(typeof templateText === 'string' ? templateText : undefined, {
    tokens: { bos: tokenizer.bosText, eos: tokenizer.eosText },
    log,
  })
  return assembleModel({ ...parts, chatTemplate, canGenerate, canEmbed, generator, embedder })
}

type Fixed = 'llamaModel' | 'tokenizer' | 'tokenBytes' | 'settings' | 'chatTemplate' | 'canGenerate' | 'canEmbed'

interface Parts extends Pick<EngineModel, Fixed> {
  readonly generator: Lazy<Generator>
  readonly embedder: Lazy<Embedder>
}

function assembleModel({ generator, embedder, ...rest }: Parts): EngineModel {
  const calls: CallSignals = createCallSignals()
  let lastAnswer: GeneratedPiece | undefined
  return {
    ...rest,
    get generator() {
      return generator.value
    },
    get embedder() {
      return embedder.value
    },
    get lastAnswer() {
      return lastAnswer
    },
    async *generate(request, { signal }) {
      if (!rest.canGenerate) throw notSupported('this model cannot generate text')
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
    embed: async (input, { signal }) => {
      if (!rest.canEmbed)
        throw notSupported('this model makes no embeddings, or was not loaded with "embeddings: true"')
      const call = calls.begin(signal)
      try {
        return await embed(await embedder.get(), input, call)
      } finally {
        call.end()
      }
    },
    close: async () => {
      calls.abortAll(new LlamaError('unavailable', 'the model is being unloaded', { code: 'model_unloading' }))
      await Promise.all([generator.idle(), embedder.idle()])
      await Promise.all([generator.value?.pool.close(), embedder.value?.pool.close()])
      await generator.value?.batcher.idle()
      await rest.llamaModel.dispose()
    },
  }
}

/** Asked for a vector, the engine would read past the scores of such a model. */
function isRanking({ keys }: GgufHeader): boolean {
  return keys.get(`${keys.get('general.architecture')}.pooling_type`) === RANK_POOLING
}

function isGenerating({ keys }: GgufHeader): boolean {
  const architecture = String(keys.get('general.architecture'))
  return !EMBEDDING_ARCHITECTURES.test(architecture) && keys.get(`${architecture}.attention.causal`) !== false
}

function chooseContextSize({ contextSize }: ModelSettings, { trainContextSize }: LlamaModel, log: Log): number {
  if (contextSize <= 0) return trainContextSize
  if (contextSize > trainContextSize) {
    log.warn(`the context of ${contextSize} tokens is larger than the ${trainContextSize} the model was trained on`)
  }
  return contextSize
}
