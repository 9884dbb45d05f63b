import type { ModelTexts } from './model-files.ts'
import type { GraphShape } from './protocol.ts'
import type { Pooling, Task } from './settings.ts'

const POOLING_KEYS: readonly (readonly [string, Pooling])[] = [
  ['pooling_mode_cls_token', 'cls'],
  ['pooling_mode_mean_tokens', 'mean'],
  ['pooling_mode_max_tokens', 'max'],
  ['pooling_mode_lasttoken', 'last'],
]

/** Finds the task of a graph: by the architecture in its folder, else by its outputs. */
export function findTask({ config }: ModelTexts, { outputs }: GraphShape): Task {
  const { architectures } = config
  const name = Array.isArray(architectures) ? String(architectures[0]) : ''
  if (name.endsWith('ForTokenClassification')) return 'classify'
  if (name.endsWith('ForSequenceClassification')) return 'rank'
  const logits = outputs.find((output) => output.name === 'logits')
  if (logits === undefined) return 'embed'
  return logits.shape.length === 2 ? 'rank' : 'classify'
}

/** The pooling that a model folder asks for; undefined where it does not say. */
export function readPooling({ pooling }: ModelTexts): Pooling | undefined {
  return POOLING_KEYS.find(([key]) => pooling[key] === true)?.[1]
}
