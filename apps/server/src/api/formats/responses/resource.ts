import type { ResponseRequest, ResponseResource, ResponseTool, ResponseUsage } from '@svc/wire/responses'
import type { Usage } from '../../../inference/core/events.ts'

/** Creates the response at its start: the request's fields and no output; `created` is in Unix seconds. */
export function newResource(
  asked: ResponseRequest,
  facts: { readonly id: string; readonly model: string; readonly created: number; readonly store: boolean },
): ResponseResource {
  return {
    id: facts.id,
    object: 'response',
    created_at: facts.created,
    completed_at: null,
    status: asked.background === true ? 'queued' : 'in_progress',
    model: facts.model,
    output: [],
    error: null,
    incomplete_details: null,
    previous_response_id: asked.previous_response_id ?? null,
    instructions: asked.instructions ?? null,
    tools: (asked.tools ?? []).map(toShownTool),
    tool_choice: asked.tool_choice ?? 'auto',
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    max_tool_calls: asked.max_tool_calls ?? null,
    temperature: asked.temperature ?? 1,
    top_p: asked.top_p ?? 1,
    presence_penalty: asked.presence_penalty ?? 0,
    frequency_penalty: asked.frequency_penalty ?? 0,
    top_logprobs: asked.top_logprobs ?? 0,
    max_output_tokens: asked.max_output_tokens ?? null,
    text: { ...asked.text, format: asked.text?.format ?? asked.text_format ?? { type: 'text' } },
    truncation: asked.truncation ?? 'disabled',
    reasoning: asked.reasoning ?? null,
    usage: null,
    metadata: asked.metadata ?? {},
    store: facts.store,
    background: asked.background ?? false,
    service_tier: asked.service_tier ?? 'default',
    safety_identifier: asked.safety_identifier ?? null,
    prompt_cache_key: asked.prompt_cache_key ?? null,
  }
}

/** Converts usage of the responses format. A backend that reports no cached or reasoning tokens gives 0. */
export function toResponseUsage({ promptTokens, completionTokens, ...details }: Usage): ResponseUsage {
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = details
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}

/**
 * Returns a tool as readers of the response see it: without secrets of its server, and with `strict`, which clients read
 * even if they did not send it.
 */
function toShownTool(tool: ResponseTool): ResponseTool {
  if (tool.type === 'mcp') {
    const { authorization: _, headers: __, ...shown } = tool
    return shown as ResponseTool
  }
  return tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool
}
