import type { Provider } from '@svc/proxy'
import type { ConfigProblem } from './config-problem.ts'
import type { GgufSummary } from './gguf-summary.ts'
import type { Block } from './keys/fields.ts'
import type { LLM, PARAMETERS, TEMPLATE, VLLM } from './keys/language-keys.ts'
import type { ARTIFACT, ModelKeys } from './keys/model-keys.ts'
import type { ROUTER } from './keys/router-keys.ts'
import type { FAILOVER, PROXY } from './keys/upstream-keys.ts'
import type { RouterNotes } from './router-notes.ts'
import type { Usecase } from './usecase-names.ts'

/** The weights and the sampling of tokens. */
export type ModelParameters = Block<typeof PARAMETERS>
/** Prompt templates: text, or the name of a `.tmpl` file in the models folder. */
export type ModelTemplate = Block<typeof TEMPLATE>
/** Top-level keys of language models, except the context size. */
export type LlmSettings = Block<typeof LLM>
/** Top-level keys of batch engines. */
export type VllmSettings = Block<typeof VLLM>
/** The `router` block (§2.12). */
export type RouterSettings = Block<typeof ROUTER>
/** The `proxy` block (§2.13). */
export type ProxySettings = Block<typeof PROXY>
/** The `failover` block. */
export type FailoverSettings = Block<typeof FAILOVER>
/** A managed repository snapshot that belongs to a model. */
export type ModelArtifact = Block<typeof ARTIFACT>

/**
 * Source of a model: a YAML file, the list of `--models-config-file`, weights dropped into the folder, a demo model of
 * the product, an agent, or a peer.
 */
export type ModelSource = 'yaml' | 'list' | 'file' | 'demo' | 'agent' | 'peer'

/**
 * The way a model is served. The union is closed: another way to serve is a new member, and the compiler then names every
 * switch that must handle it.
 */
export type Serving =
  /** A backend, in a process of its own or at an address. */
  | { readonly kind: 'backend' }
  /** An upstream, asked byte for byte as the client wrote. */
  | { readonly kind: 'relay'; readonly provider: Provider }
  /** An upstream, asked in its own format. */
  | { readonly kind: 'translation'; readonly provider: Provider }
  /** The vector stores of this process: one of those that all callers share. */
  | { readonly kind: 'store'; readonly store: string }
  /** Another instance of this server. */
  | { readonly kind: 'instance' }
  /**
   * Other models, one after the other. Only existing targets are listed; they are filled in when the model is resolved.
   */
  | { readonly kind: 'failover'; readonly targets: readonly FailoverTarget[] }
  /** The model that a classifier picks for each request. */
  | { readonly kind: 'router' }
  /** The models of its `pipeline` block, as the stages of a spoken conversation. It serves sessions and no requests. */
  | { readonly kind: 'pipeline' }
  /** An agent of the database, which asks other models. */
  | { readonly kind: 'agent'; readonly agent: string }
  /** A peer of the federation that has the model, asked byte for byte as the client wrote. */
  | { readonly kind: 'federated' }
  /** No server: the model finds private text for others. */
  | { readonly kind: 'detector' }
  /** No server, for a reason that follows the model's name in a sentence. */
  | { readonly kind: 'none'; readonly reason: string }

/** A model that serves for another one, under the name that the other one has for it. */
export interface FailoverTarget {
  readonly name: string
  readonly model: ModelConfig
}

/** The keys of a model file that a model has as they are, under their own names. */
export type KeptKeys = Omit<ModelKeys, keyof LlmSettings | keyof VllmSettings | (typeof CONVERTED_KEYS)[number]>

/** Keys whose value in a model has another form than in its file. */
export const CONVERTED_KEYS = ['name', 'backend', 'knownUsecases', 'grpc', 'limits', 'maxConcurrent'] as const

/** Kept keys that a file may leave out, and the values that models then have. */
export const UNSET = {
  disabled: false,
  pinned: false,
  roles: {},
  knownInputModalities: [],
  knownOutputModalities: [],
  concurrencyGroups: [],
  options: [],
  overrides: [],
  downloadFiles: [],
  artifacts: [],
  featureFlags: {},
  strictAnswers: false,
  parameters: {},
  template: {},
  diffusers: {},
  tts: {},
  function: {},
  reasoning: {},
  compression: {},
  pii: {},
  mitm: {},
  mcp: {},
  agent: {},
} as const satisfies Partial<KeptKeys>

/** Keys of a model with a value in every model. */
type FilledKeys = { readonly [Key in keyof typeof UNSET]: NonNullable<KeptKeys[Key]> }
/** Keys of a model that may be absent. */
type OpenKeys = { readonly [Key in Exclude<keyof KeptKeys, keyof typeof UNSET>]?: KeptKeys[Key] | undefined }

/** Values of the kept keys. */
export type KeptValues = FilledKeys & OpenKeys

/**
 * One model as its file describes it, with our names. Its keys are those of the tables in `keys/`; keys that the file
 * leaves out are absent here, and `withDefaults` fills in their values.
 */
export interface ModelConfig extends KeptValues {
  /** Name for clients. */
  readonly name: string
  /** Name of its file, inside {@link ModelConfig.folder}. */
  readonly file: string
  readonly source: ModelSource
  /** Absolute folder of all file names of this model. */
  readonly folder: string
  /** Time of the file's last change, milliseconds since the epoch. */
  readonly modifiedAt: number
  /** Declared usecases under their own names, without unknown ones. */
  readonly knownUsecases: readonly Usecase[]
  /** Empty when the file names none and the weights do not decide it. */
  readonly backend: string
  /** The way it is served. */
  readonly serving: Serving
  /** Number of health checks of a starting backend and their interval; 0 = the server's own figures. */
  readonly grpc: { readonly attempts: number; readonly attemptsSleepSeconds: number }
  /** Maximum number of parallel requests (0 = no model limit), and the delay after a refusal. */
  readonly limits: { readonly maxConcurrent: number; readonly retryAfterSeconds: number }
  readonly llm: LlmSettings
  readonly vllm: VllmSettings
  /** Mistakes of the `router` block; set for routers that a file describes. */
  readonly routerNotes?: RouterNotes | undefined
  /** Facts from the header of the weights; absent when the weights are not a GGUF file or unreadable. */
  readonly gguf?: GgufSummary | undefined
  /** Reason why the weights cannot be loaded, found before a backend was asked: `file "x.gguf" is cut off`. */
  readonly weightsError?: string | undefined
  /** Set when the weights file is missing here. A backend that runs elsewhere may have it. */
  readonly weightsMissing?: boolean | undefined
  /** The whole file as plain data, including unknown keys. */
  readonly raw: Readonly<Record<string, unknown>>
  /** Ignored parts of the file. */
  readonly warnings: readonly ConfigProblem[]
}
