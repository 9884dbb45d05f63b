import { type JsonDocument, type JsonNode, type StringLeaf, walkStrings } from '@svc/json'
import type { RequestDocument } from '../documents/request-document.ts'
import type { PredictionStep } from './events.ts'

/** Fields of the wire formats that limit the answer, and those of `options` in the alternate ecosystem. */
const LIMITS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const
const BYTES_PER_TOKEN = 4
/** Tokens of an answer whose length no field limits. */
export const OPEN_ANSWER = 256
/** Larger limits say nothing about the answer. */
const MAX_ANSWER = 1_000_000
/** Longest number of a form with its quotes. */
const MAX_NUMBER_BYTES = 32
const DECIMAL = /^\s*\d+(?:\.\d*)?\s*$/

/**
 * Estimates the tokens that a request will use: its body, and the answer as far as the body limits it. Quotas reserve
 * that many until the figures are known.
 *
 * @param options.isGenerated whether the answer is text that a model writes
 */
export function estimateTokens(
  document: Pick<RequestDocument, 'kind' | 'texts'>,
  { isGenerated }: { readonly isGenerated: boolean },
): TokenEstimate {
  const prompt = estimateText(document.texts().bytes.length)
  return { prompt, answer: isGenerated ? estimateAnswer(document) : 0 }
}

/** Tokens that a request will use. */
export interface TokenEstimate {
  readonly prompt: number
  readonly answer: number
}

function estimateAnswer(document: Pick<RequestDocument, 'kind' | 'texts'>): number {
  const { root } = document.texts()
  const readNumber = document.kind === 'form' ? readWrittenNumber : readJsonNumber
  const limits = [...LIMITS.map((name) => root.get(name)), root.get('options')?.get('num_predict')]
  const limit = limits.map((node) => toLimit(node && readNumber(node))).find((value) => value !== undefined)
  return limit ?? OPEN_ANSWER
}

function readJsonNumber(node: JsonNode): number | undefined {
  return node.kind === 'number' ? Number(node.toValue()) : undefined
}

/** Reads a number of a form, whose fields are texts. */
function readWrittenNumber(node: JsonNode): number | undefined {
  if (node.kind !== 'string' || node.end - node.start > MAX_NUMBER_BYTES) return undefined
  const text = node.text()
  return DECIMAL.test(text) ? Number(text) : undefined
}

function toLimit(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  return value > 0 && value <= MAX_ANSWER ? Math.ceil(value) : undefined
}

/** Roughly the tokens of a text of that many bytes. */
export function estimateText(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

/** Bodies up to this size hold no media worth a look. */
const SMALL_BODY_BYTES = 16 * 1024
const MIN_MEDIUM_BYTES = 4 * 1024
/** Tokens of an image, sound or file of any size. */
const MEDIUM_TOKENS = 1000

/** Roughly the tokens of a prompt, for models that do not say: its body, with media in it counted as such. */
export function estimatePrompt({ root, bytes }: JsonDocument): number {
  if (bytes.length <= SMALL_BODY_BYTES) return estimateText(bytes.length)
  let media = 0
  let mediaBytes = 0
  for (const leaf of walkStrings(root)) {
    const size = leaf.node.end - leaf.node.start
    if (size < MIN_MEDIUM_BYTES || !isMedium(leaf)) continue
    media += 1
    mediaBytes += size
  }
  return estimateText(bytes.length - mediaBytes) + media * MEDIUM_TOKENS
}

const BASE64 = /^(?:data:[^,]{0,200};base64,|[\w+/=-]{256})/
/** The members of the formats that hold a medium. */
const MEDIUM_KEYS: ReadonlySet<unknown> = new Set(['url', 'data', 'file_data', 'image_url'])

function isMedium(leaf: StringLeaf): boolean {
  const { start, document } = leaf.node
  const head = document.bytes.subarray(start + 1, start + 1 + 512)
  if (!BASE64.test(Buffer.from(head).toString('latin1'))) return false
  return leaf.role === 'value' && MEDIUM_KEYS.has(leaf.path().at(-1))
}

/** Bytes of text, thoughts and calls in some steps. A prompt that precedes its answer does not count. */
export function measureAnswer(steps: readonly PredictionStep[]): number {
  let bytes = 0
  for (const step of steps) {
    if (step.type === 'text-delta' && step.prompt !== undefined) continue
    if (step.type === 'text-delta' || step.type === 'reasoning-delta') bytes += Buffer.byteLength(step.text)
    else if (step.type === 'tool-call-start') bytes += Buffer.byteLength(step.name)
    else if (step.type === 'tool-call-delta') bytes += Buffer.byteLength(step.arguments)
  }
  return bytes
}
