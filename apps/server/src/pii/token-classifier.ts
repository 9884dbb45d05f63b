import type { TokenClassifier } from '@svc/pii'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Executor } from '../inference/engine/executor.ts'

/** Creates the classifier of a detector model. The model is loaded on first use. */
export function createTokenClassifier(model: ModelConfig, executor: Pick<Executor, 'perform'>): TokenClassifier {
  let told: number | undefined
  return {
    async classify(text, { minScore, signal, correlationId }) {
      const { entities } = await executor.perform<'classify'>(
        { kind: 'classify', text, minScore },
        { model, signal, correlationId },
      )
      return entities
    },
    async contextSize({ signal }) {
      told ??= (await executor.perform<'context-size'>({ kind: 'context-size' }, { model, signal })).tokens
      const known = [told, model.gguf?.contextLength ?? 0, readWrittenContextSize(model)].filter((size) => size > 0)
      return known.length === 0 ? undefined : Math.min(...known)
    },
  }
}

/** Reads the context size of the model's file, because a default says nothing about the model. */
function readWrittenContextSize({ raw }: ModelConfig): number {
  const { context_size: written } = raw
  return typeof written === 'number' ? written : 0
}
