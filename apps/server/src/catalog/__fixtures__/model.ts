import { type ModelConfig, UNSET } from '../model-config.ts'
import { toServing } from '../serving.ts'

/** A model of backend `mock` with nothing set. */
export function createModel(changes: Partial<ModelConfig> = {}): ModelConfig {
  const model: Omit<ModelConfig, 'serving'> = {
    ...UNSET,
    name: 'm',
    file: 'm.yaml',
    source: 'yaml',
    folder: '/models',
    modifiedAt: 0,
    knownUsecases: [],
    backend: 'mock',
    grpc: { attempts: 0, attemptsSleepSeconds: 0 },
    limits: { maxConcurrent: 0, retryAfterSeconds: 0 },
    llm: {},
    vllm: {},
    raw: {},
    warnings: [],
    ...changes,
  }
  return { ...model, serving: changes.serving ?? toServing(model) }
}
