import type {
  ChatCompletion,
  ChatFinishReason,
  ChatReplyMessage,
  ChatTokenLogprob,
  ChatToolCall,
  McpToolCall,
} from '@svc/wire/openai'
import { NO_USAGE, type PredictionEvent, type Usage } from '../../../../inference/core/events.ts'
import type { ReplyCollector, ReplyFacts } from '../../../../inference/replies/wire-format.ts'
import { createTurnJoiner, type TurnJoiner, toMcpCall } from './server-tool-fields.ts'
import { toCompletionUsage } from './usage.ts'

interface Choice {
  readonly joiner: TurnJoiner
  readonly serverCalls: McpToolCall[]
  readonly approvals: ReturnType<typeof toMcpCall>[]
  text: string
  reasoning: string
  readonly calls: ChatToolCall[]
  readonly logprobs: ChatTokenLogprob[]
  finishReason: ChatFinishReason
}

/** Gathers a prediction into one `chat.completion` body. */
export function collectChat(
  facts: ReplyFacts,
  options: { readonly choices: number; readonly usesFunctions: boolean },
): ReplyCollector {
  const gathered: Choice[] = Array.from({ length: options.choices }, () => ({
    joiner: createTurnJoiner(),
    serverCalls: [],
    approvals: [],
    text: '',
    reasoning: '',
    calls: [],
    logprobs: [],
    finishReason: 'stop',
  }))
  let usage: Usage = NO_USAGE
  return {
    event(event) {
      if (event.type === 'usage') usage = event.usage
      else addTo(gathered[event.choice], event)
    },
    body: () => toBody(facts, gathered, { usage, usesFunctions: options.usesFunctions }),
  }
}

function addTo(choice: Choice | undefined, event: Exclude<PredictionEvent, { type: 'usage' }>): void {
  if (choice === undefined) return
  switch (event.type) {
    case 'text-delta':
      choice.text += choice.joiner.join(event.text)
      for (const entry of event.logprobs ?? []) choice.logprobs.push(toWireLogprob(entry))
      break
    case 'reasoning-delta':
      choice.reasoning += event.text
      break
    case 'reasoning-signature':
    case 'redacted-reasoning':
    case 'server-tools':
      break
    case 'server-tool-call':
      choice.joiner.cut()
      choice.serverCalls.push({ ...toMcpCall(event), result: '', is_error: false })
      break
    case 'server-tool-result': {
      const place = choice.serverCalls.findIndex(({ id }) => id === event.id)
      const call = choice.serverCalls[place]
      if (call !== undefined) choice.serverCalls[place] = { ...call, result: event.output, is_error: event.isError }
      break
    }
    case 'server-tool-approval': {
      const { id, name } = event
      choice.approvals.push(toMcpCall(event))
      const index = choice.calls.length
      choice.calls.push({ index, id, type: 'function', function: { name, arguments: event.arguments } })
      break
    }
    case 'tool-call-start':
      choice.calls[event.index] = {
        index: event.index,
        id: event.id,
        type: 'function',
        function: { name: event.name, arguments: '' },
      }
      break
    case 'tool-call-delta': {
      const call = choice.calls[event.index]
      if (call !== undefined) call.function.arguments += event.arguments
      break
    }
    case 'choice-end':
      choice.finishReason = event.finishReason
      break
  }
}

type Logprob = NonNullable<Extract<PredictionEvent, { type: 'text-delta' }>['logprobs']>[number]

/** Converts a log-probability entry to its wire form. */
export function toWireLogprob(entry: Logprob): ChatTokenLogprob {
  const alternative = ({ token, logprob, bytes }: Omit<Logprob, 'top_logprobs'>) => ({
    token,
    logprob,
    bytes: bytes === null ? null : [...bytes],
  })
  return { ...alternative(entry), top_logprobs: entry.top_logprobs.map(alternative) }
}

function toBody(
  facts: ReplyFacts,
  gathered: readonly Choice[],
  { usage, usesFunctions }: { readonly usage: Usage; readonly usesFunctions: boolean },
): ChatCompletion {
  return {
    id: `chatcmpl-${facts.requestId}`,
    object: 'chat.completion',
    created: facts.created,
    model: facts.model,
    choices: gathered.map((choice, index) => ({
      index,
      finish_reason:
        usesFunctions && choice.finishReason === 'tool_calls' ? ('function_call' as const) : choice.finishReason,
      logprobs: choice.logprobs.length > 0 ? { content: choice.logprobs, refusal: null } : null,
      message: {
        role: 'assistant',
        content: choice.text === '' && choice.calls.length > 0 ? null : choice.text,
        refusal: null,
        ...(choice.reasoning === '' ? {} : { reasoning: choice.reasoning, reasoning_content: choice.reasoning }),
        ...toCallFields(
          choice.calls.filter((call) => call !== undefined),
          usesFunctions,
        ),
        ...(choice.serverCalls.length === 0 ? {} : { mcp_tool_calls: choice.serverCalls }),
        ...(choice.approvals.length === 0 ? {} : { mcp_approval_requests: choice.approvals }),
      },
    })),
    usage: toCompletionUsage(usage, facts.extraUsage),
  }
}

function toCallFields(calls: readonly ChatToolCall[], usesFunctions: boolean): Partial<ChatReplyMessage> {
  const [first] = calls
  if (first === undefined) return {}
  return usesFunctions ? { function_call: first.function } : { tool_calls: [...calls] }
}
