import type { RegistrationMode, User } from '../ports/users.ts'

/** The facts of an account that asks for admission. */
export interface AdmissionFacts {
  readonly isFirst: boolean
  readonly isAdmin: boolean
  readonly mode: RegistrationMode
  readonly hasInvite: boolean
  readonly isInviteValid: boolean
}

/** The terms on which an account is let in, or the reason why it is not. */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly user: Pick<User, 'role' | 'status' | 'approved'>
      readonly consumesInvite: boolean
    }
  | { readonly kind: 'invite-required' | 'invalid-invite' }

/**
 * The registration rules of §3.1. The first account and the configured admin pass every gate and use up no invite; in
 * the mode `open` invites are ignored. In the other modes an invite code that is given must hold.
 */
export function decideAdmission(facts: AdmissionFacts): Admission {
  const { mode } = facts
  if (facts.isFirst || facts.isAdmin) {
    return { kind: 'admitted', user: { role: 'admin', status: 'active', approved: true }, consumesInvite: false }
  }
  if (mode === 'open') {
    return { kind: 'admitted', user: { role: 'user', status: 'active', approved: false }, consumesInvite: false }
  }
  if (facts.isInviteValid) {
    return { kind: 'admitted', user: { role: 'user', status: 'active', approved: true }, consumesInvite: true }
  }
  if (facts.hasInvite) return { kind: 'invalid-invite' }
  if (mode === 'invite') return { kind: 'invite-required' }
  return { kind: 'admitted', user: { role: 'user', status: 'pending', approved: false }, consumesInvite: false }
}
