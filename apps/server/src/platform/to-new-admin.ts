import { randomUUID } from 'node:crypto'
import type { User } from '@svc/auth/ports'
import type { AdministrationChange } from '../audit/changes.ts'

/** The change of an account that has become an admin with its first sign-in. */
export function toNewAdmin({ id, email }: User): AdministrationChange {
  return {
    kind: 'administration',
    origin: 'api',
    change: 'user.role',
    via: 'none',
    address: '',
    correlationId: randomUUID(),
    userId: id,
    actor: email,
    target: id,
    name: email,
    details: 'admin, as the first account or the one of the configured address',
  }
}
