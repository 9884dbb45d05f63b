import type { McpCall, McpResult } from '@svc/wire/openai'
import type { ServerToolEvent } from '../../../../inference/core/events.ts'

type EventOf<Type extends ServerToolEvent['type']> = Extract<ServerToolEvent, { type: Type }>

/** Describes a call of a tool that this server runs. */
export function toMcpCall(event: EventOf<'server-tool-call' | 'server-tool-approval'>): McpCall {
  const { id, server, tool, name, arguments: args } = event
  return { id, server, tool, name, arguments: args }
}

/** Describes the result of a tool that this server ran. */
export function toMcpResult({ id, name, output, isError }: EventOf<'server-tool-result'>): McpResult {
  return { id, name, result: output, is_error: isError }
}

/** Joins the texts of turns, which stand in one message. */
export interface TurnJoiner {
  /** Gives a text, behind an empty line when it begins a further turn. */
  join(text: string): string
  /** Notes the end of a turn. */
  cut(): void
}

/** Creates a joiner for one choice. */
export function createTurnJoiner(): TurnJoiner {
  let hasText = false
  let isCut = false
  return {
    join(text) {
      if (text === '') return text
      const joined = isCut && hasText && !/^\s/.test(text) ? `\n\n${text}` : text
      isCut = false
      hasText = true
      return joined
    },
    cut() {
      isCut = true
    },
  }
}
