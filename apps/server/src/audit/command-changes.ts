import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { systemClock } from '../clock.ts'
import { quietLogger } from '../logging/quiet-logger.ts'
import type { AuditSink } from './audit-event.ts'
import { type AdministrationChange, createChangeLog } from './changes.ts'

/** A change that a command on the machine of the server has made. */
export type CommandChange = Pick<AdministrationChange, 'change' | 'target' | 'name' | 'details'>

/** Records a change of a command. Its actor is the user of the operating system. */
export function recordCommand(audit: AuditSink, change: CommandChange): Promise<void> {
  return createChangeLog({ audit, clock: systemClock, logger: quietLogger }).record({
    kind: 'administration',
    origin: 'command',
    via: 'command',
    address: '',
    correlationId: randomUUID(),
    actor: readUserName(),
    ...change,
  })
}

/** The name of the user whose process this is. A user without an entry in the list of users has only a number. */
function readUserName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
