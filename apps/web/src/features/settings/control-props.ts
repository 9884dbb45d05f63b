import type { Draft } from './drafts.ts'

/** Properties of every field of a setting. */
export interface ControlProps {
  readonly id: string
  /** The key of the setting. */
  readonly name: string
  readonly value: unknown
  readonly draft: Draft | undefined
  readonly isLocked: boolean
  readonly onChange: (draft: Draft | undefined) => void
}
