import { settlesWithin } from '../backends/settles-within.ts'
import type { Clock, Logger } from '../ports.ts'
import type { AuditSink, ChangeAuditEvent } from './audit-event.ts'

/** A change as the log of administration keeps it; texts are cut and made safe to show. */
export type AdministrationChange = Omit<ChangeAuditEvent, 'facts'> & {
  /** The changed object: an id, or the name of a model or backend. */
  readonly target?: string | undefined
  /** Name of the target, where it has an id. */
  readonly name?: string | undefined
  /** Figures and names of the change; never a secret and never a text. */
  readonly details?: string | undefined
  readonly failed?: boolean | undefined
  /** The tool of an assistant that made it for its caller. */
  readonly tool?: string | undefined
}

/** Keeps changes. */
export interface ChangeLog {
  /** Records a change. Resolves once it is stored, or after a second: it waits for the database then. Never rejects. */
  record(change: AdministrationChange): Promise<void>
}

/** Longest time that a reply waits for its entry. */
const PATIENCE_MS = 1000
const MAX_NAME_LENGTH = 200
const MAX_DETAILS_LENGTH = 500
/** Control characters, and characters that change the direction of a text or have no width. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Creates the log over the audit events. */
export function createChangeLog({
  audit,
  clock,
  logger,
}: {
  readonly audit: AuditSink
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}): ChangeLog {
  return {
    async record({ target, name, details, tool, failed = false, ...event }) {
      const facts = {
        ...toFact('target', target, MAX_NAME_LENGTH),
        ...toFact('target_name', name, MAX_NAME_LENGTH),
        ...toFact('details', details, MAX_DETAILS_LENGTH),
        ...toFact('tool', tool, MAX_NAME_LENGTH),
        outcome: failed ? 'failed' : 'done',
      }
      audit.record([{ ...event, actor: toSafeText(event.actor, MAX_NAME_LENGTH), facts }])
      const stored = audit.flush().catch((error: unknown) => logger.warn({ err: error }, 'a change is not stored yet'))
      await settlesWithin(stored, PATIENCE_MS, clock)
    },
  }
}

function toFact(key: string, text: string | undefined, maxLength: number): Readonly<Record<string, string>> {
  return text === undefined || text === '' ? {} : { [key]: toSafeText(text, maxLength) }
}

function toSafeText(text: string, maxLength: number): string {
  const safe = text.replace(UNSAFE, '\ufffd')
  return safe.length <= maxLength ? safe : `${safe.slice(0, maxLength - 1)}…`
}
