import type { CompletionUsage } from '@svc/wire/openai'
import { toCount, toFields } from '../fields.ts'

/** Figures of the messages format during a stream: the last value of each counts. */
export interface MessagesFigures {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWritten?: number | undefined
}

/** The usage of a reply of the compatible format; undefined without one. */
export function readCompatibleUsage(value: unknown): CompletionUsage | undefined {
  const usage = toFields(value)
  const prompt = toCount(usage.prompt_tokens)
  const completion = toCount(usage.completion_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const cached = toCount(toFields(usage.prompt_tokens_details).cached_tokens)
  const reasoning = toCount(toFields(usage.completion_tokens_details).reasoning_tokens)
  return {
    prompt_tokens: prompt ?? 0,
    completion_tokens: completion ?? 0,
    total_tokens: toCount(usage.total_tokens) ?? (prompt ?? 0) + (completion ?? 0),
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

/** Adds the figures of another object of the stream. */
export function addFigures(figures: MessagesFigures, value: unknown): MessagesFigures {
  const usage = toFields(value)
  return {
    input: toCount(usage.input_tokens) ?? figures.input,
    output: toCount(usage.output_tokens) ?? figures.output,
    cacheRead: toCount(usage.cache_read_input_tokens) ?? figures.cacheRead,
    cacheWritten: toCount(usage.cache_creation_input_tokens) ?? figures.cacheWritten,
  }
}

/**
 * Converts figures to the compatible format, whose prompt tokens include cache reads and writes; undefined without
 * figures.
 */
export function toCompatibleUsage(figures: MessagesFigures): CompletionUsage | undefined {
  const { input, output, cacheRead, cacheWritten } = figures
  if (input === undefined && output === undefined) return undefined
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWritten ?? 0)
  const details = {
    ...(cacheRead === undefined ? {} : { cached_tokens: cacheRead }),
    ...(cacheWritten === undefined ? {} : { cache_creation_tokens: cacheWritten }),
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: output ?? 0,
    total_tokens: prompt + (output ?? 0),
    ...(Object.keys(details).length > 0 ? { prompt_tokens_details: details } : {}),
  }
}
