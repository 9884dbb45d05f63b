import { type Fields, toCount, toFields, toList, toNumber, toText } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'

/** A vector with its token count. */
export interface EmbedOutput {
  readonly embedding: readonly number[]
  readonly promptTokens: number
}

/** One document with its score. */
export interface RankedDocument {
  /** Its place in the request. */
  readonly index: number
  readonly text: string
  readonly relevanceScore: number
}

/** One candidate with its likelihood; natural logarithms. */
export interface ScoredCandidate {
  readonly logProb: number
  readonly lengthNormalizedLogProb: number
  readonly numTokens: number
  readonly tokens: readonly { readonly token: string; readonly logProb: number }[]
}

/** Computes the vector of a text whose end is cut off where it is too long. */
export async function embedStart(transport: ServiceTransport, input: string, call: ServiceCall): Promise<EmbedOutput> {
  const path = '/api/embed'
  const json = { model: transport.target.model, input, truncate: true }
  const reply = await transport.ask(path, { json }, call)
  const [embedding] = toList(reply.embeddings)
  if (!Array.isArray(embedding)) throw undecodable(path)
  return { embedding: readNumbers(embedding, path), promptTokens: toCount(reply.prompt_eval_count) ?? 0 }
}

/** Computes the vector of a text or of a list of tokens. */
export async function embed(
  transport: ServiceTransport,
  input: string | readonly number[],
  call: ServiceCall,
): Promise<EmbedOutput> {
  const path = '/v1/embeddings'
  const json = {
    model: transport.target.model,
    input: typeof input === 'string' ? input : [input],
    // Official clients request base64 by default.
    encoding_format: 'float',
  }
  const reply = await transport.ask(path, { json }, call)
  const { embedding } = toFields(toList(reply.data)[0])
  if (!Array.isArray(embedding)) throw undecodable(path)
  return {
    embedding: readNumbers(embedding, path),
    promptTokens: toCount(toFields(reply.usage).prompt_tokens) ?? 0,
  }
}

/** Ranks documents by relevance to a query, best first. */
export async function rerank(
  transport: ServiceTransport,
  input: { readonly query: string; readonly documents: readonly string[]; readonly topN: number },
  call: ServiceCall,
): Promise<{
  readonly results: readonly RankedDocument[]
  readonly totalTokens: number
  readonly promptTokens: number
}> {
  const path = '/v1/rerank'
  const { query, documents, topN } = input
  const json = { model: transport.target.model, query, documents, ...dropZeros({ top_n: topN }) }
  const reply = await transport.ask(path, { json }, call)
  const usage = toFields(reply.usage)
  if (!Array.isArray(reply.results)) throw undecodable(path)
  return {
    results: reply.results.map(toFields).map(({ index, document, relevance_score: score }) => {
      const place = toCount(index)
      if (place === undefined) throw undecodable(path)
      const text = toText(toFields(document).text) ?? toText(document) ?? documents[place] ?? ''
      return { index: place, text, relevanceScore: toNumber(score) ?? 0 }
    }),
    totalTokens: toCount(usage.total_tokens) ?? 0,
    promptTokens: toCount(usage.prompt_tokens) ?? 0,
  }
}

/** Splits a text into tokens. */
export async function tokenize(
  transport: ServiceTransport,
  content: string,
  call: ServiceCall,
): Promise<readonly number[]> {
  const path = '/v1/tokenize'
  const reply = await transport.ask(path, { json: { model: transport.target.model, content } }, call)
  if (!Array.isArray(reply.tokens)) throw undecodable(path)
  return readNumbers(reply.tokens, path)
}

/** Joins tokens to a text. */
export async function detokenize(
  transport: ServiceTransport,
  tokens: readonly number[],
  call: ServiceCall,
): Promise<string> {
  const path = '/v1/detokenize'
  const reply = await transport.ask(path, { json: { model: transport.target.model, tokens } }, call)
  const content = toText(reply.content)
  if (content === undefined) throw undecodable(path)
  return content
}

/** Scores each candidate as a continuation of the prompt. The instance requires an admin's key for it. */
export async function score(
  transport: ServiceTransport,
  input: {
    readonly prompt: string
    readonly candidates: readonly string[]
    readonly lengthNormalize: boolean
    readonly includeTokenLogprobs: boolean
  },
  call: ServiceCall,
): Promise<readonly ScoredCandidate[]> {
  const path = '/api/score'
  const { prompt, candidates, lengthNormalize, includeTokenLogprobs } = input
  const flags = dropZeros({ length_normalize: lengthNormalize, include_token_logprobs: includeTokenLogprobs })
  const json = { model: transport.target.model, prompt, candidates, ...flags }
  const reply = await transport.ask(path, { json }, call)
  if (toList(reply.candidates).length !== candidates.length) throw undecodable(path)
  return toList(reply.candidates).map((candidate) => readCandidate(toFields(candidate)))
}

function readCandidate(candidate: Fields): ScoredCandidate {
  return {
    logProb: toNumber(candidate.log_prob) ?? 0,
    lengthNormalizedLogProb: toNumber(candidate.length_normalized_log_prob) ?? 0,
    numTokens: toCount(candidate.num_tokens) ?? 0,
    tokens: toList(candidate.tokens)
      .map(toFields)
      .map(({ token, log_prob: logProb }) => ({ token: toText(token) ?? '', logProb: toNumber(logProb) ?? 0 })),
  }
}

/** Reads the numbers of a reply. @throws {SvcError} `internal` for any other value */
export function readNumbers(values: readonly unknown[], path: string): readonly number[] {
  return values.map((value) => {
    const number = toNumber(value)
    if (number === undefined) throw undecodable(path)
    return number
  })
}
