import type { Draft } from './drafts.ts'

/** What every field of a setting gets. */
export interface ControlProps {
  readonly id: string
  /** The key of the setting. */
  readonly name: string
  readonly value: unknown
  readonly draft: Draft | undefined
  readonly isLocked: boolean
  readonly onChange: (draft: Draft | undefined) => void
}
