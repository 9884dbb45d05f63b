import type { CompletionUsage } from '@svc/wire/openai'
import { dropAbsent, type Fields, toCount, toFields, toList } from '../fields.ts'

/** Figures of the messages format during a stream: the last value of each counts. */
export interface MessagesFigures {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWritten?: number | undefined
  /** Output tokens that were thoughts. */
  readonly reasoning?: number | undefined
}

/**
 * The usage in a chunk of the compatible format, in each of the places where upstreams put it; undefined without one.
 */
export function findChunkUsage(chunk: Fields): CompletionUsage | undefined {
  return (
    readCompatibleUsage(chunk.usage) ??
    readCompatibleUsage(toFields(chunk.x_groq).usage) ??
    readCompatibleUsage(toFields(toList(chunk.choices)[0]).usage)
  )
}

/**
 * The usage of a reply of the compatible format; undefined without one. Upstreams name cached and reasoning tokens in
 * many ways. Where the total is larger than its parts, the missing part is counted: thoughts that an upstream leaves
 * out of the completion, or cached tokens that it leaves out of the prompt.
 */
export function readCompatibleUsage(value: unknown): CompletionUsage | undefined {
  const usage = toFields(value)
  const prompt = toCount(usage.prompt_tokens)
  const completion = toCount(usage.completion_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const cached = readCached(usage)
  const written = readWritten(usage)
  const sum = (prompt ?? 0) + (completion ?? 0)
  const missing = Math.max(0, (toCount(usage.total_tokens) ?? sum) - sum)
  const isCached = missing > 0 && missing === cached && missing > (prompt ?? 0)
  const thought = isCached ? 0 : missing
  const reasoning = readReasoning(usage) ?? (thought > 0 ? thought : undefined)
  const details = dropAbsent({ cached_tokens: cached, cache_creation_tokens: written })
  return {
    prompt_tokens: (prompt ?? 0) + (isCached ? missing : 0),
    completion_tokens: (completion ?? 0) + thought,
    total_tokens: sum + missing,
    ...(Object.keys(details).length > 0 ? { prompt_tokens_details: details } : {}),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

function readCached(usage: Fields): number | undefined {
  return (
    toCount(toFields(usage.prompt_tokens_details).cached_tokens) ??
    toCount(usage.prompt_cache_hit_tokens) ??
    toCount(usage.cached_tokens) ??
    toCount(usage.cache_read_input_tokens)
  )
}

function readWritten(usage: Fields): number | undefined {
  const details = toFields(usage.prompt_tokens_details)
  return (
    toCount(details.cache_creation_tokens) ??
    toCount(details.cache_write_tokens) ??
    toCount(usage.cache_creation_input_tokens)
  )
}

function readReasoning(usage: Fields): number | undefined {
  return toCount(toFields(usage.completion_tokens_details).reasoning_tokens) ?? toCount(usage.reasoning_tokens)
}

/** Adds the figures of another object of the stream. */
export function addFigures(figures: MessagesFigures, value: unknown): MessagesFigures {
  const usage = toFields(value)
  return {
    input: toCount(usage.input_tokens) ?? figures.input,
    output: toCount(usage.output_tokens) ?? figures.output,
    cacheRead: toCount(usage.cache_read_input_tokens) ?? figures.cacheRead,
    cacheWritten: toCount(usage.cache_creation_input_tokens) ?? figures.cacheWritten,
    reasoning: toCount(toFields(usage.output_tokens_details).thinking_tokens) ?? figures.reasoning,
  }
}

/**
 * Converts figures to the compatible format, whose prompt tokens include cache reads and writes; undefined without
 * figures.
 */
export function toCompatibleUsage(figures: MessagesFigures): CompletionUsage | undefined {
  const { input, output, cacheRead, cacheWritten, reasoning } = figures
  if (input === undefined && output === undefined) return undefined
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWritten ?? 0)
  const details = dropAbsent({ cached_tokens: cacheRead, cache_creation_tokens: cacheWritten })
  return {
    prompt_tokens: prompt,
    completion_tokens: output ?? 0,
    total_tokens: prompt + (output ?? 0),
    ...(Object.keys(details).length > 0 ? { prompt_tokens_details: details } : {}),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
