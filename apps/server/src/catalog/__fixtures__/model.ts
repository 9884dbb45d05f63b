import type { ModelConfig } from '../model-config.ts'
import { toServing } from '../serving.ts'

/** A model of backend `mock` with nothing set. */
export function createModel(changes: Partial<ModelConfig> = {}): ModelConfig {
  const model: Omit<ModelConfig, 'serving'> = {
    name: 'm',
    file: 'm.yaml',
    source: 'yaml',
    folder: '/models',
    modifiedAt: 0,
    disabled: false,
    pinned: false,
    roles: {},
    knownUsecases: [],
    knownInputModalities: [],
    knownOutputModalities: [],
    concurrencyGroups: [],
    backend: 'mock',
    options: [],
    overrides: [],
    grpc: { attempts: 0, attemptsSleepSeconds: 0 },
    downloadFiles: [],
    artifacts: [],
    limits: { maxConcurrent: 0, retryAfterSeconds: 0 },
    featureFlags: {},
    strictAnswers: false,
    parameters: {},
    template: {},
    llm: {},
    vllm: {},
    diffusers: {},
    tts: {},
    function: {},
    reasoning: {},
    compression: {},
    pii: {},
    mitm: {},
    mcp: {},
    agent: {},
    raw: {},
    warnings: [],
    ...changes,
  }
  return { ...model, serving: changes.serving ?? toServing(model) }
}
