import { badModel } from './errors.ts'

/** A JSON object of a model folder. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Texts of a model folder that limit its inputs and name its labels. */
export interface EncoderTexts {
  readonly config: JsonObject
  readonly tokenizerConfig: JsonObject
  /** `sentence_bert_config.json`. */
  readonly sentenceConfig?: JsonObject | undefined
}

const DEFAULT_TOKENS = 512
/** Models of these types count positions from after the padding token. */
const SHIFTED_POSITIONS =
  /^(roberta|xlm-roberta|xlm-roberta-xl|camembert|mpnet|longformer|data2vec-text|ibert|luke|mdeberta)$/

/** Most tokens of one input, special tokens included: the smallest of the limits in the files and of the caller. */
export function findMaxTokens({ config, tokenizerConfig, sentenceConfig = {} }: EncoderTexts, asked: number): number {
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

/** Names of labels by their number. @throws PiiError `unprocessable` for missing names or numbers */
export function readLabels({ config }: EncoderTexts): readonly string[] {
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

function readNumber(object: JsonObject, key: string): number | undefined {
  const value = object[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
