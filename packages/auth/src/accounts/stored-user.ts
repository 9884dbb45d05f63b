import { AuthError, missing } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { ChangeOutcome, User, UserStore } from '../ports/users.ts'

/** The error of an unknown account. */
export const userMissing = (): AuthError => missing('user not found')

/** Reads an account. @throws {AuthError} `not_found` */
export async function readUser(users: Pick<UserStore, 'findById'>, id: string, call: CallOptions): Promise<User> {
  const user = await users.findById(id, call)
  if (user === undefined) throw userMissing()
  return user
}

/** Checks that a store has made a change. @throws {AuthError} `not_found`, or `conflict` with the code `last_admin` */
export function checkOutcome(outcome: ChangeOutcome): void {
  if (outcome === 'missing') throw userMissing()
  if (outcome === 'last-admin') throw new AuthError('conflict', 'the last admin must stay one', { code: 'last_admin' })
}
