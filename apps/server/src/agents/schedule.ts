import { Cron } from 'croner'
import { refuseAgent } from './agent-errors.ts'
import type { TaskDraft } from './task.ts'

/** The part of a task that says when it runs. */
export type Schedule = Pick<TaskDraft, 'cron' | 'cronTimezone'>

/** The longest accepted pattern, in characters. */
const MAX_LENGTH = 200
const NO_TIME = 'it has no time to come'

/**
 * Finds the next time of a schedule after a time. A wall time that a change of clocks leaves out runs at the same
 * distance after the change; a wall time that comes twice runs the first time only.
 *
 * @param after milliseconds since the epoch
 * @returns milliseconds since the epoch; undefined without a schedule, or when no time follows
 */
export function findNextRun({ cron, cronTimezone }: Schedule, after: number): number | undefined {
  if (cron === '') return undefined
  return new Cron(cron, { timezone: cronTimezone, paused: true, mode: '5-part' }).nextRun(new Date(after))?.getTime()
}

/** Checks a schedule. @throws {SvcError} `invalid_request` with the reason */
export function checkSchedule(schedule: Schedule, now: number): void {
  const { cron, cronTimezone } = schedule
  if (cron.length > MAX_LENGTH)
    throw refuseAgent(`invalid cron expression: longer than ${MAX_LENGTH} characters`, 'cron')
  if (!isTimezone(cronTimezone)) {
    throw refuseAgent(`cron_timezone: ${JSON.stringify(cronTimezone)} is not the name of a time zone`, 'cron_timezone')
  }
  if (cron.startsWith('@every')) {
    throw refuseAgent(
      'invalid cron expression: @every is not supported, write five fields such as */15 * * * *',
      'cron',
    )
  }
  let next: number | undefined
  try {
    next = findNextRun(schedule, now)
  } catch (error) {
    // A pattern without a time to come may end the stack of its search.
    const isEndless = error instanceof RangeError && error.message.includes('call stack')
    const reason = error instanceof Error && !isEndless ? error.message.replace(/^CronPattern: /, '') : NO_TIME
    throw refuseAgent(`invalid cron expression: ${reason}`, 'cron')
  }
  if (cron !== '' && next === undefined) throw refuseAgent(`invalid cron expression: ${NO_TIME}`, 'cron')
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
