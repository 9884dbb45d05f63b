import type { Revocation } from '@svc/auth'
import type { FailoverEvent } from '@svc/proxy/failover'
import type { SettingKey } from '../config/schema.ts'

/** The subject of a change: a setting, or the backends that flags and files name. */
export type SettingsChange = SettingKey | 'external_backends'

/** A change of a failover group: an event of its own, or `reset` when its file changed and its state was dropped. */
export type FailoverGroupEvent = FailoverEvent | { readonly type: 'reset' }

/** Names of changed models, in byte order. */
export interface ModelChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** The message of each subject: plain JSON. A message says where to look, not what is true. */
export interface Messages {
  /** Settings with another value. Truth: the files of the configuration folder. */
  readonly 'settings.changed': { readonly keys: readonly SettingsChange[] }
  /** Models with another configuration. Truth: the models folder. */
  readonly 'models.changed': ModelChanges
  /** Files that front ends share have changed. Truth: the documents of this kind in the database. */
  readonly 'files.changed': { readonly kind: string }
  /** Rights that somebody may have lost. Truth: the accounts in the database. */
  readonly 'rights.revoked': Revocation
  /** An operation has advanced or ended. Truth: the queue that runs it, and its row. */
  readonly 'operations.changed': { readonly jobId: string }
  /** Somebody ended an operation or dismissed its failure. Truth: the queue that runs it decides whether it may end. */
  readonly 'operations.stopped': { readonly jobId: string; readonly how: 'cancelled' | 'paused' | 'dismissed' }
  /** More of a running response is stored. Truth: its row and its events. */
  readonly 'responses.changed': { readonly id: string }
  /** A response was cancelled or deleted. Truth: its row. */
  readonly 'responses.stopped': { readonly id: string }
  /** Agents, their tasks or their jobs have changed. Truth: their rows. */
  readonly 'agents.changed': { readonly what: 'agents' | 'tasks' | 'jobs' }
  /** Workers have changed. Truth: their rows. */
  readonly 'nodes.changed': { readonly id: string }
  /** A load on a worker has begun, moved or ended, or a replica has come or gone. Truth: their rows. */
  readonly 'loads.changed': { readonly model: string }
  /** A target of a failover group changed its state. Truth: the groups of this process. */
  readonly 'failover.changed': { readonly group: string; readonly event: FailoverGroupEvent }
}

/** A subject of the bus. */
export type Subject = keyof Messages

/** The rules of a subject. */
export interface SubjectRules<S extends Subject> {
  /** Processes that get its messages: all that share the bus, or only the one that publishes. */
  readonly reach: 'all' | 'own'
  /** Checks a message of another process, which may be another version. */
  isMessage(value: unknown): value is Messages[S]
  /** Shortens a message that is too long for other processes. @default it is not sent */
  shorten?(message: Messages[S]): Messages[S]
}

/** Every subject. */
export const SUBJECTS: { readonly [S in Subject]: SubjectRules<S> } = {
  'settings.changed': {
    reach: 'all',
    isMessage: (value): value is Messages['settings.changed'] => hasTexts(value, ['keys']),
  },
  'models.changed': {
    reach: 'all',
    isMessage: (value): value is ModelChanges => hasTexts(value, ['added', 'changed', 'removed']),
    // Another process compares the folder with what it knows. It needs no names.
    shorten: () => ({ added: [], changed: [], removed: [] }),
  },
  'files.changed': { reach: 'all', isMessage: (value): value is { kind: string } => hasText(value, 'kind') },
  'rights.revoked': { reach: 'all', isMessage: isRevocation },
  'operations.changed': { reach: 'all', isMessage: (value): value is { jobId: string } => hasText(value, 'jobId') },
  'operations.stopped': {
    reach: 'all',
    isMessage: (value): value is Messages['operations.stopped'] =>
      hasText(value, 'jobId') && ['cancelled', 'paused', 'dismissed'].includes(String(value.how)),
  },
  'responses.changed': { reach: 'all', isMessage: (value): value is { id: string } => hasText(value, 'id') },
  'responses.stopped': { reach: 'all', isMessage: (value): value is { id: string } => hasText(value, 'id') },
  'agents.changed': {
    reach: 'all',
    isMessage: (value): value is Messages['agents.changed'] =>
      hasText(value, 'what') && ['agents', 'tasks', 'jobs'].includes(String(value.what)),
  },
  'nodes.changed': { reach: 'all', isMessage: (value): value is { id: string } => hasText(value, 'id') },
  'loads.changed': { reach: 'all', isMessage: (value): value is { model: string } => hasText(value, 'model') },
  // Each process judges targets by its own requests and probes.
  'failover.changed': { reach: 'own', isMessage: (value): value is never => value === undefined },
}

/** Whether a text names a subject. */
export function isSubject(text: string): text is Subject {
  return Object.hasOwn(SUBJECTS, text)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function hasText(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value[key] === 'string'
}

function hasTexts(value: unknown, keys: readonly string[]): boolean {
  if (!isRecord(value)) return false
  return keys.every((key) => {
    const list = value[key]
    return Array.isArray(list) && list.every((text) => typeof text === 'string')
  })
}

function isRevocation(value: unknown): value is Revocation {
  if (!isRecord(value)) return false
  switch (value.kind) {
    case 'user':
      return hasText(value, 'userId')
    case 'api-key':
      return hasText(value, 'apiKeyId')
    case 'session':
      return hasText(value, 'sessionId')
    default:
      return value.kind === 'all'
  }
}
