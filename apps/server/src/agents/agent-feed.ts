import { SvcError } from '@svc/errors'
import { createLiveFeed, type LiveFeed } from '../live-feed/live-feed.ts'
import type { ClaimedJob, JobOutcome, JobStep } from './job.ts'

/** Something that happens to a message of an agent. */
export type AgentEvent =
  | {
      readonly type: 'begin'
      readonly agent: string
      readonly jobId: string
      readonly message: string
      readonly at: number
    }
  | { readonly type: 'step'; readonly agent: string; readonly jobId: string; readonly step: JobStep }
  | {
      readonly type: 'end'
      readonly agent: string
      readonly jobId: string
      readonly outcome: JobOutcome
      readonly at: number
    }

/** The events of all agents of this server. */
export type AgentFeed = LiveFeed<AgentEvent>

const MAX_EVENTS = 2000
const MAX_SIZE = 8_388_608
const MAX_READERS = 100

/** Creates the feed. */
export function createAgentFeed(): AgentFeed {
  return createLiveFeed<AgentEvent>({
    maxEvents: MAX_EVENTS,
    maxSize: MAX_SIZE,
    sizeOf: (event) => JSON.stringify(event).length,
    maxReaders: MAX_READERS,
    onFull: () =>
      new SvcError('rate_limited', 'too many readers follow the agents', { code: 'agent_readers', retryAfterMs: 1000 }),
  })
}

/** Publishes the steps of a job of an agent. */
export function publishSteps(feed: AgentFeed, { agent, id }: ClaimedJob, steps: readonly JobStep[]): void {
  if (agent === '') return
  for (const step of steps) feed.publish({ type: 'step', agent, jobId: id, step })
}
