import { readsGguf } from './attach-weights.ts'
import { findFamily } from './family-defaults.ts'
import type { LlmSettings, ModelConfig, ModelParameters, ModelTemplate } from './model-config.ts'
import { generatesText } from './usecases.ts'
import { toWeightsKind } from './weights-kind.ts'

/** Settings of the server and facts of the machine for values that models leave open. */
export interface DefaultsContext {
  /** `--threads`; 0 = the machine's own default. */
  readonly threads: number
  /** Default of the machine, at least 1. */
  readonly defaultThreads: number
  readonly f16: boolean
  readonly debug: boolean
  /** `--context-size` in tokens; below 1 = the context that the model was trained for. */
  readonly contextSize: number
  /** Whether files can be mapped; false for some graphics drivers. @default true */
  readonly canMapFiles?: boolean | undefined
}

const FALLBACK_THREADS = 4
/** The contract cannot express an unset temperature, so one is always sent. */
const FORWARDED_TEMPERATURE = 0.9
/** Tokens of context when the trained context is unknown. */
const FALLBACK_CONTEXT = 4096

/**
 * Fills in everything that a model's file leaves open: implications of its own settings, then values of its family,
 * then those for any model (§2.9). Never changes values of the file.
 */
export function withDefaults(config: ModelConfig, context: DefaultsContext): ModelConfig {
  const { contextSize = 0 } = config
  return {
    ...config,
    template: fillTemplate(config),
    function: fillFunctions(config),
    proxy: fillProxy(config),
    options: fillOptions(config),
    parameters: fillParameters(config),
    llm: fillLlm(config, context),
    threads:
      positive(config.threads) ?? positive(context.threads) ?? positive(context.defaultThreads) ?? FALLBACK_THREADS,
    f16: config.f16 ?? context.f16,
    debug: context.debug || (config.debug ?? false),
    contextSize:
      positive(contextSize) ?? (contextSize < 0 ? trained(config) : (positive(context.contextSize) ?? trained(config))),
    ...(isForwarded(config) ? fillForwarded(config) : {}),
  }
}

/** Whether another instance serves the model (§6.5). */
function isForwarded({ serving }: ModelConfig): boolean {
  return serving.kind === 'instance'
}

/**
 * Defaults of a model of another instance. That instance knows parameters and context, so none are filled in.
 * Conversations are sent as such when the file says that the model chats, and no grammar is sent.
 */
function fillForwarded(config: ModelConfig): Partial<ModelConfig> {
  return {
    template: { ...config.template, useTokenizerTemplate: config.knownUsecases.includes('chat') },
    function: { ...config.function, grammar: { ...config.function.grammar, disable: true } },
    parameters: { temperature: FORWARDED_TEMPERATURE, ...config.parameters },
    contextSize: positive(config.contextSize),
  }
}

/** A mode applies to a relayed model, and not to one of another instance. */
function fillProxy(config: ModelConfig): ModelConfig['proxy'] {
  const { proxy } = config
  return proxy === undefined || isForwarded(config) ? proxy : { ...proxy, mode: proxy.mode ?? 'passthrough' }
}

function trained(config: ModelConfig): number {
  return config.gguf?.contextLength ?? FALLBACK_CONTEXT
}

/** The backend renders the template that weights carry, unless the file names one. */
function fillTemplate(config: ModelConfig): ModelTemplate {
  if (config.template.useTokenizerTemplate !== undefined || !rendersChats(config)) return config.template
  return { ...config.template, useTokenizerTemplate: true }
}

function rendersChats(config: ModelConfig): boolean {
  return generatesText(config) && config.gguf?.hasChatTemplate === true
}

/** The side that renders the template also makes the grammar for tools. */
function fillFunctions(config: ModelConfig): ModelConfig['function'] {
  if (fillTemplate(config).useTokenizerTemplate !== true) return config.function
  return { ...config.function, grammar: { ...config.function.grammar, disable: true } }
}

function fillOptions(config: ModelConfig): readonly string[] {
  const options = [...config.options]
  const add = (option: string, names: readonly string[]) => {
    const taken = options.some((each) => names.includes(each.split(':', 1)[0] ?? ''))
    if (!taken) options.push(option)
  }
  if (!readsGguf(config.backend)) return options
  add('cache_reuse:256', ['cache_reuse', 'n_cache_reuse'])
  if (rendersChats(config) && config.template.useTokenizerTemplate !== false)
    add('use_jinja:true', ['use_jinja', 'jinja'])
  const { pooling = 'backend' } = config.parameters
  if (pooling !== 'backend') add('pooling:none', ['pooling', 'pooling_type'])
  return options
}

function fillParameters({ name, backend, parameters }: ModelConfig): ModelParameters {
  const family = findFamily(parameters.model ?? '') ?? findFamily(name)
  return {
    topP: 0.95,
    topK: backend.toLowerCase().startsWith('mlx') ? 0 : 40,
    minP: 0,
    temperature: 0.9,
    maxTokens: 0,
    typicalP: 1,
    tfz: 1,
    seed: -1,
    ...family?.defaults,
    ...parameters,
  }
}

function fillLlm({ llm, gguf }: ModelConfig, context: DefaultsContext): LlmSettings {
  const kind = gguf && toWeightsKind(gguf)
  return {
    mirostat: 0,
    mirostatTau: 5,
    mirostatEta: 0.1,
    mmap: context.canMapFiles ?? true,
    mmlock: false,
    lowVram: false,
    embeddings: kind === 'embedder',
    reranking: kind === 'ranker',
    promptCacheAll: true,
    ...llm,
  }
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}
