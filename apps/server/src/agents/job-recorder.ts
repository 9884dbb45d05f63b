import { SvcError } from '@svc/errors'
import type { PredictionEvent, ServerToolEvent } from '../inference/core/events.ts'
import type { Clock } from '../ports.ts'
import type { ClaimedJob, JobStep, OpenCall } from './job.ts'
import type { JobStore } from './job-store.ts'
import { AGENT_LIMITS } from './task.ts'

/** Writes the steps of a run, each before it counts. */
export interface JobRecorder {
  /** Adds a step that says what happens. */
  note(content: string, createdAt: number): Promise<void>
  /** Takes events of the run. Resolves once what must be written before the run goes on is written. */
  record(events: readonly PredictionEvent[]): Promise<void>
  /** Writes the last thoughts. @returns the answer @throws {SvcError} for a tool that waits for its approval */
  finish(): Promise<string>
}

/** Parts of {@link createJobRecorder}. */
export interface RecorderParts {
  readonly store: Pick<JobStore, 'append'>
  readonly clock: Pick<Clock, 'now'>
  readonly onSteps: (job: ClaimedJob, steps: readonly JobStep[]) => void
}

/** Creates the recorder of one run. */
export function createJobRecorder(job: ClaimedJob, { store, clock, onSteps }: RecorderParts): JobRecorder {
  const open = new Map<string, OpenCall>()
  /** Names of the tools for the model, by call. */
  const names = new Map<string, string>()
  let written = job.steps
  /** Characters of the steps of this run. */
  let characters = 0
  let text = ''
  let thought = ''
  let refused: string | undefined

  async function write(steps: readonly JobStep[]): Promise<void> {
    if (steps.length === 0) return
    written += steps.length
    if (written > AGENT_LIMITS.steps) {
      throw new SvcError('too_large', `the job has more than ${AGENT_LIMITS.steps} steps`, { code: 'too_many_steps' })
    }
    for (const { content, arguments: args = '' } of steps) characters += cutLength(content) + cutLength(args)
    if (characters > AGENT_LIMITS.traceLength) {
      throw new SvcError('too_large', `the steps of the job have more than ${AGENT_LIMITS.traceLength} characters`, {
        code: 'steps_too_long',
      })
    }
    await store.append(job, steps, [...open.values()])
    onSteps(job, steps)
  }

  function takeThought(): JobStep[] {
    if (thought === '') return []
    const step: JobStep = { kind: 'thought', content: thought, createdAt: clock.now() }
    thought = ''
    return [step]
  }

  function takeText(): JobStep[] {
    const said = text
    text = ''
    return said === '' ? takeThought() : [...takeThought(), { kind: 'text', content: said, createdAt: clock.now() }]
  }

  function toSteps(event: ServerToolEvent): JobStep[] {
    const createdAt = clock.now()
    switch (event.type) {
      case 'server-tools':
        if (event.error === undefined) return []
        return [{ kind: 'status', content: `the server "${event.server}" gave no tools: ${event.error}`, createdAt }]
      case 'server-tool-approval':
        refused = event.tool
        return []
      case 'server-tool-call': {
        const { id, tool, server, name, hints } = event
        open.set(id, { id, tool, server, repeatable: hints.readOnly === true || hints.idempotent === true })
        names.set(id, name)
        const call: JobStep = {
          kind: 'tool_call',
          content: '',
          callId: id,
          toolName: name,
          arguments: event.arguments,
          createdAt,
        }
        return [...takeText(), call]
      }
      case 'server-tool-result': {
        open.delete(event.id)
        const toolName = names.get(event.id)
        return [{ kind: 'tool_result', content: event.output, callId: event.id, toolName, createdAt }]
      }
    }
  }

  return {
    note: (content, createdAt) => write([{ kind: 'status', content, createdAt }]),
    async record(events) {
      const steps: JobStep[] = []
      for (const event of events) {
        if (event.type === 'text-delta') text += event.text
        else if (event.type === 'reasoning-delta') thought += event.text
        else if (isToolEvent(event)) steps.push(...toSteps(event))
      }
      if (text.length + thought.length > AGENT_LIMITS.resultLength) {
        throw new SvcError('too_large', `the answer is longer than ${AGENT_LIMITS.resultLength} characters`, {
          code: 'answer_too_long',
        })
      }
      await write(steps)
    },
    async finish() {
      await write(takeThought())
      if (refused === undefined) return text
      throw new SvcError('forbidden', `the tool "${refused}" asks for approval, which a job cannot give`, {
        code: 'needs_approval',
      })
    },
  }
}

const cutLength = ({ length }: string): number => Math.min(length, AGENT_LIMITS.stepLength)

function isToolEvent(event: PredictionEvent): event is ServerToolEvent {
  return event.type.startsWith('server-tool')
}
