import { badModel } from '../errors.ts'
import type { JsonObject, ModelTexts } from './model-files.ts'
import type { GraphShape } from './protocol.ts'
import type { Pooling, Task } from './settings.ts'

const DEFAULT_TOKENS = 512
/** Models of these types count positions from after the padding token. */
const SHIFTED_POSITIONS =
  /^(roberta|xlm-roberta|xlm-roberta-xl|camembert|mpnet|longformer|data2vec-text|ibert|luke|mdeberta)$/
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

/** Most tokens of one input, special tokens included: the smallest of the limits in the files and of the caller. */
export function findMaxTokens({ config, tokenizerConfig, sentenceConfig }: ModelTexts, asked: number): number {
  const padding = readNumber(config, 'pad_token_id') ?? 1
  const shift = SHIFTED_POSITIONS.test(String(config.model_type)) ? padding + 1 : 0
  const positions = readNumber(config, 'max_position_embeddings') ?? readNumber(config, 'n_positions')
  const limits = [
    positions === undefined ? undefined : positions - shift,
    readNumber(tokenizerConfig, 'model_max_length'),
    readNumber(sentenceConfig, 'max_seq_length'),
  ].filter((limit) => limit !== undefined && limit > 0 && limit < 1_000_000_000)
  const own = limits.length === 0 ? DEFAULT_TOKENS : Math.min(...limits.map(Number))
  return asked > 0 ? Math.min(own, asked) : own
}

/** Names of labels by their number. @throws OnnxError `unprocessable` for missing names or numbers */
export function readLabels({ config }: ModelTexts): readonly string[] {
  const names = config.id2label
  if (typeof names !== 'object' || names === null) throw badModel('config.json: id2label is missing')
  const entries = Object.entries(names)
  const labels = entries.map((_, index) => (names as JsonObject)[String(index)])
  const missing = labels.findIndex((label) => typeof label !== 'string' || label === '')
  if (entries.length === 0 || missing >= 0) {
    throw badModel(`config.json: id2label has no name for label ${Math.max(0, missing)}`)
  }
  return labels.map(String)
}

/** The pooling that a model folder asks for; undefined where it does not say. */
export function readPooling({ pooling }: ModelTexts): Pooling | undefined {
  return POOLING_KEYS.find(([key]) => pooling[key] === true)?.[1]
}

function readNumber(object: JsonObject, key: string): number | undefined {
  const value = object[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
