import type * as z from 'zod'
import { refuseAgent } from '../../../agents/agent-errors.ts'
import { checkPrompt } from '../../../agents/render-prompt.ts'
import { checkSchedule } from '../../../agents/schedule.ts'
import type { AgentTask, MediaAddress, TaskDraft } from '../../../agents/task.ts'
import type { taskForm } from './schemas.ts'
import { MASK } from './to-wire.ts'

/** The checked body of a task. */
type TaskForm = z.output<typeof taskForm>

/**
 * Converts and checks the body of a task.
 *
 * @param before the task that it replaces: masked headers keep their value
 * @throws {SvcError} `invalid_request` naming the member
 */
export function toTaskDraft(form: TaskForm, now: number, before?: AgentTask): TaskDraft {
  if ((form.webhooks ?? []).length > 0) {
    throw refuseAgent('webhooks: this server calls no addresses of its own accord; follow the job at /api/agent/jobs')
  }
  const draft: TaskDraft = {
    name: form.name,
    description: form.description ?? '',
    model: form.model,
    prompt: form.prompt,
    enabled: form.enabled ?? true,
    cron: form.cron ?? '',
    cronTimezone: form.cron_timezone || 'UTC',
    cronMissed: form.cron_missed ?? 'skip',
    cronParameters: form.cron_parameters ?? {},
    mediaSources: (form.multimedia_sources ?? []).map((source, index) =>
      toSource(source, before?.mediaSources ?? [], index),
    ),
  }
  checkPrompt(draft.prompt)
  checkSchedule(draft, now)
  return draft
}

type SourceForm = NonNullable<TaskForm['multimedia_sources']>[number]

function toSource({ type, url, headers }: SourceForm, before: readonly MediaAddress[], index: number): MediaAddress {
  if (headers == null) return { type, url }
  // Another source of the list may be gone.
  const same = before[index]?.url === url ? before[index] : before.find((source) => source.url === url)
  const values = Object.entries(headers).map(([name, value]) => {
    if (value !== MASK) return [name, value] as const
    const kept = same?.headers?.[name]
    if (kept !== undefined) return [name, kept] as const
    throw refuseAgent(`multimedia_sources[${index}].headers.${name}: ${MASK} stands for a value that is not known`)
  })
  return { type, url, headers: Object.fromEntries(values) }
}
