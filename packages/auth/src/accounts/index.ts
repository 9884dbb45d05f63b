/**
 * Accounts: registration, sign-in with a password, invites, and the changes that admins may make.
 *
 * @module
 */

export { type Accounts, type AccountsOptions, createAccounts } from './accounts.ts'
export { type AdminEmail, isConfiguredAdmin } from './admin-email.ts'
export { type Admission, type AdmissionFacts, decideAdmission } from './admission.ts'
export {
  type Attempt,
  type AttemptBudget,
  type AttemptLimiter,
  type AttemptLimiterOptions,
  createAttemptLimiter,
  nameAccount,
  nameAddress,
} from './attempt-limiter.ts'
export { isEmail, normalizeEmail } from './email.ts'
export { createInvites, type Invites, type InvitesOptions, type IssuedInvite } from './invites.ts'
export { createKnownAddresses, type KnownAddresses, type KnownAddressesOptions } from './known-addresses.ts'
export type { LoginForm, ProvenUser } from './login.ts'
export type { PasswordChange } from './password-changes.ts'
export {
  createPasswords,
  type PasswordCheck,
  type PasswordFault,
  type Passwords,
  type PasswordsOptions,
} from './passwords.ts'
export type { RegistrationForm, RegistrationOptions, RegistrationResult } from './registration.ts'
