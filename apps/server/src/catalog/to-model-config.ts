import type { ConfigProblem } from './config-problem.ts'
import { type Block, type KeyTable, toCamelCase } from './keys/fields.ts'
import { LLM, VLLM } from './keys/language-keys.ts'
import { MODEL_KEYS, type ModelKeys } from './keys/model-keys.ts'
import { CONVERTED_KEYS, type KeptKeys, type KeptValues, type ModelConfig, UNSET } from './model-config.ts'
import { toServing } from './serving.ts'
import { readUsecases } from './usecase-names.ts'

/** The place of a model file. */
export interface ModelFilePlace {
  /** Name inside the models folder. */
  readonly file: string
  /** Absolute models folder. */
  readonly folder: string
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** Delay after a refusal when a model names none. */
const DEFAULT_RETRY_SECONDS = 1

/** Default backend of GGUF weights. */
export const GGUF_BACKEND = 'llama'

/** Whether a file name is that of GGUF weights. */
export function isGgufName(name: string): boolean {
  return /\.gguf$/i.test(name)
}

/** Everything about a model beside the keys of its file. */
export interface ModelFacts {
  readonly name: string
  readonly source: ModelConfig['source']
  readonly place: ModelFilePlace
  readonly raw: Readonly<Record<string, unknown>>
  readonly warnings: readonly ConfigProblem[]
  readonly routerNotes?: ModelConfig['routerNotes']
}

/** Creates the model of a file's keys. */
export function toModelConfig(keys: ModelKeys, facts: ModelFacts): ModelConfig {
  const { name, source, place, raw, warnings, routerNotes } = facts
  const { parameters = {}, grpc = {}, limits = {} } = keys
  const backend = keys.backend ?? (isGgufName(parameters.model ?? '') ? GGUF_BACKEND : '')
  return {
    ...keep(keys),
    name,
    source,
    file: place.file,
    folder: place.folder,
    modifiedAt: place.modifiedAt,
    knownUsecases: readUsecases(keys.knownUsecases ?? []),
    concurrencyGroups: distinct(keys.concurrencyGroups ?? []),
    backend,
    serving: toServing({ ...keys, backend, parameters }),
    grpc: { attempts: grpc.attempts ?? 0, attemptsSleepSeconds: grpc.attemptsSleepTime ?? 0 },
    limits: {
      maxConcurrent: keys.maxConcurrent ?? limits.maxConcurrent ?? 0,
      retryAfterSeconds: limits.retryAfterSeconds || DEFAULT_RETRY_SECONDS,
    },
    llm: pick<typeof LLM>(keys, LLM_NAMES),
    vllm: pick<typeof VLLM>(keys, VLLM_NAMES),
    routerNotes,
    raw,
    warnings,
  }
}

/** Creates a model without keys. */
export function createBlankModel(facts: Pick<ModelFacts, 'name' | 'source' | 'place'>): ModelConfig {
  return toModelConfig({}, { ...facts, raw: {}, warnings: [] })
}

const LLM_NAMES = listNames(LLM)
const VLLM_NAMES = listNames(VLLM)

const KEPT_NAMES = [...listNames(MODEL_KEYS)].filter(
  (name): name is keyof KeptKeys =>
    !LLM_NAMES.has(name) && !VLLM_NAMES.has(name) && !CONVERTED_KEYS.some((key) => key === name),
)
const UNSET_VALUES: Readonly<Record<string, unknown>> = UNSET

/** Selects the keys that a model has as they are. All models have the same properties in the same order. */
function keep(keys: ModelKeys): KeptValues {
  // Every name is a key of the tables, and its value was read by its field.
  return Object.fromEntries(KEPT_NAMES.map((name) => [name, keys[name] ?? UNSET_VALUES[name]])) as KeptValues
}

function listNames(table: KeyTable): ReadonlySet<string> {
  return new Set(Object.keys(table).map(toCamelCase))
}

/** Selects the keys that one table declares. */
function pick<Table extends KeyTable>(keys: ModelKeys, names: ReadonlySet<string>): Block<Table> {
  // Only keys of the table are left, each read by its field.
  return Object.fromEntries(Object.entries(keys).filter(([name]) => names.has(name))) as Block<Table>
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))]
}
