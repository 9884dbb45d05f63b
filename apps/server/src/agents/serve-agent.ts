import { SvcError } from '@svc/errors'
import { createHandOver } from '../concurrency/hand-over.ts'
import type { PredictionEvent, StepBatches } from '../inference/core/events.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import type { ModelTask } from '../inference/core/model-calls.ts'
import type { ChatMessage, ChatRequest, GenerationOptions, GenerationRequest } from '../inference/core/request.ts'
import type { RunModel } from './ask-model.ts'
import { type AgentRun, createTurnLimit } from './run-job.ts'
import type { RunMessage } from './run-messages.ts'
import { toUserMessage } from './run-messages.ts'

/**
 * Answers a request that names an agent: the model of the agent is asked with the rights of the caller, and its events
 * are those of the reply.
 *
 * @throws {SvcError} `invalid_request` for what an agent does not take
 */
export async function* serveAgent(
  request: GenerationRequest,
  { agent, task, runModel }: { readonly agent: AgentRun; readonly task: ModelTask; readonly runModel: RunModel },
): StepBatches {
  const messages = [...agent.before, ...toMessages(request)]
  const { context, ledger } = task
  const { requestId, principal, log } = context
  const caller: InnerCaller = {
    ...{ requestId, principal, log, endUser: ledger.attribution?.endUser },
    header: (name) => context.header(name),
    useModel: (name, through) => context.useModel(name, through),
  }
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, leaving.signal])
  const { put, values, end } = createHandOver<readonly PredictionEvent[]>()
  const checkTurns = createTurnLimit(agent.maxTurns)
  const { model, hostedTools } = agent
  const run = runModel
    .run(
      { model, messages, options: toOptions(request, agent), hostedTools, caller, isInside: true, signal },
      (events) => {
        checkTurns(events)
        return put(events)
      },
    )
    .then(() => end(), end)
  try {
    yield* values
  } finally {
    leaving.abort(new SvcError('cancelled', 'the reply is not read any more'))
    await run
  }
}

function toOptions(request: GenerationRequest, agent: AgentRun) {
  const { generation: own = {} } = agent.options
  const generation: GenerationOptions = { ...own, ...omitUnset(request.generation) }
  const { structuredOutput, reasoningEffort, thinking } = request
  return { generation, structuredOutput, reasoningEffort, thinking }
}

function omitUnset(options: GenerationOptions): GenerationOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function toMessages(request: GenerationRequest): RunMessage[] {
  if (request.choices > 1) throw refused('n', 'an agent gives one answer')
  if (request.kind === 'chat') {
    if ((request.tools ?? []).length > 0) throw refused('tools', 'an agent has tools of its own')
    return toChat(request)
  }
  const [prompt, ...others] = request.prompts
  if (prompt === undefined || others.length > 0) throw refused('prompt', 'an agent takes one prompt')
  if (typeof prompt !== 'string') throw refused('prompt', 'an agent takes text, not tokens')
  return [{ role: 'user', content: request.instruction === undefined ? prompt : `${request.instruction}\n\n${prompt}` }]
}

function refused(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, {
    code: 'not_for_agents',
    details: { type: 'invalid_request_error', param },
  })
}

/** Writes messages with their media, which stand apart in the request. */
function toChat({ messages, media }: ChatRequest): RunMessage[] {
  const images = [...(media?.images ?? [])]
  const audio = [...(media?.audio ?? [])]
  const video = [...(media?.video ?? [])]
  return messages.map((message): RunMessage => {
    const { images: i = 0, audio: a = 0, video: v = 0 } = message.media ?? {}
    const own = { images: images.splice(0, i), audios: audio.splice(0, a), videos: video.splice(0, v), files: [] }
    return toMessage(message, own)
  })
}

function toMessage(message: ChatMessage, media: Parameters<typeof toUserMessage>[1]): RunMessage {
  const { role, content, toolCalls = [], toolCallId = '' } = message
  switch (role) {
    case 'user':
      return toUserMessage(content, media)
    case 'system':
      return { role, content }
    case 'tool':
    case 'function':
      return { role: 'tool', content, tool_call_id: toolCallId }
    case 'assistant': {
      if (toolCalls.length === 0) return { role, content }
      const calls = toolCalls.map(
        ({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: args } }) as const,
      )
      return { role, content, tool_calls: calls }
    }
  }
}
