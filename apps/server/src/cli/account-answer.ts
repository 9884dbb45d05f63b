import type { CommandChange } from '../audit/command-changes.ts'

/** The result of a command about accounts, keys or invites. */
export interface Answer {
  /** The result for people. */
  readonly text: string
  /** The result for programs, in the form of the HTTP API. */
  readonly value: unknown
  /** The change that the command has made, for the audit log. */
  readonly change?: CommandChange | undefined
}
