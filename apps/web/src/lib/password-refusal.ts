import { ApiError, isRecord } from './api-error.ts'

/** The reason why the server refuses a new password. */
export interface PasswordRefusal {
  readonly message: string
  /** Whether the password counts once the viewer has confirmed that it is weak. */
  readonly isOverridable: boolean
}

/** Reads a refusal of a new password; undefined for any other failure. */
export function readPasswordRefusal(error: unknown): PasswordRefusal | undefined {
  if (!(error instanceof ApiError) || !isRecord(error.body)) return undefined
  const { error_code: code, overridable } = error.body
  if (typeof code !== 'string' || !code.startsWith('password_')) return undefined
  return { message: error.message, isOverridable: overridable === true }
}
