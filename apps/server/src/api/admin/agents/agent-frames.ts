import type { AgentEvent } from '../../../agents/agent-feed.ts'
import { toTime, toWireStep } from './to-wire.ts'

/** Writes events of an agent as server-sent events. */
export function toAgentFrames(events: readonly AgentEvent[]): string {
  return events.length === 0 ? ':\n\n' : events.map(toFrames).join('')
}

const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

function toFrames(event: AgentEvent): string {
  const { jobId: id } = event
  switch (event.type) {
    case 'begin': {
      const timestamp = toTime(event.at)
      return (
        frame('json_message', { id: `${id}-user`, sender: 'user', content: event.message, timestamp }) +
        frame('json_message_status', { id, status: 'processing', timestamp })
      )
    }
    case 'step':
      return frame('observable_update', { id, agent: event.agent, name: 'message', progress: [toWireStep(event.step)] })
    case 'end': {
      const { outcome } = event
      const timestamp = toTime(event.at)
      const end = frame('json_message_status', { id, status: 'completed', timestamp })
      if (outcome.status === 'failed') return frame('json_error', { id, error: outcome.error, timestamp }) + end
      return frame('json_message', { id: `${id}-agent`, sender: 'agent', content: outcome.result, timestamp }) + end
    }
  }
}
