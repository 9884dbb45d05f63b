import type { MediaSource, Task, TaskDraft } from './api.ts'
import { listParameters } from './parameters.ts'
import { findOwnZone } from './schedule.ts'

/** What the form of a task holds. */
export interface TaskForm {
  readonly name: string
  readonly description: string
  readonly model: string
  readonly prompt: string
  readonly enabled: boolean
  /** Empty without a schedule. */
  readonly cron: string
  readonly zone: string
  readonly missed: 'skip' | 'once'
  readonly parameters: Readonly<Record<string, string>>
  readonly sources: readonly MediaSource[]
}

/** Fills the form from a task; an empty form without one. */
export function toForm(task?: Task): TaskForm {
  return {
    name: task?.name ?? '',
    description: task?.description ?? '',
    model: task?.model ?? '',
    prompt: task?.prompt ?? '',
    enabled: task?.enabled ?? true,
    cron: task?.cron ?? '',
    zone: task?.cron_timezone ?? findOwnZone(),
    missed: task?.cron_missed ?? 'skip',
    parameters: task?.cron_parameters ?? {},
    sources: task?.multimedia_sources ?? [],
  }
}

/** Makes the body of a request of the form. Parameters that the prompt has no more are left out. */
export function toDraft({ cron, zone, missed, parameters, sources, ...form }: TaskForm): TaskDraft {
  const schedule = {
    cron: cron.trim(),
    cron_timezone: zone.trim(),
    cron_missed: missed,
    cron_parameters: pickParameters(form.prompt, parameters),
  }
  return {
    ...form,
    name: form.name.trim(),
    ...(schedule.cron === '' ? {} : schedule),
    multimedia_sources: sources.filter(({ url }) => url !== ''),
  }
}

/** The values of the parameters that a prompt uses. */
export function pickParameters(
  prompt: string,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> & Record<string, string> {
  return Object.fromEntries(listParameters(prompt).flatMap((name) => [[name, values[name] ?? '']]))
}
