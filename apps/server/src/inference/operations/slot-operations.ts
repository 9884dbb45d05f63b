import type { OperationFigures } from './operation-figures.ts'

/** The state of a slot to save. */
export interface SaveSlotRequest {
  readonly kind: 'save-slot'
  /** From 0. */
  readonly slot: number
}

/** A saved state to put into a slot. */
export interface RestoreSlotRequest {
  readonly kind: 'restore-slot'
  /** From 0. */
  readonly slot: number
  readonly id: string
}

/** A state that was saved or restored. */
export interface SlotResult extends OperationFigures {
  readonly id: string
  /** Tokens of the state. */
  readonly tokens: number
  /** Size of its file. */
  readonly bytes: number
  /** Time that the backend needed. */
  readonly milliseconds: number
}

/** Operations on the slots of a model. */
export interface SlotOperations {
  readonly 'save-slot': { readonly request: SaveSlotRequest; readonly result: SlotResult }
  readonly 'restore-slot': { readonly request: RestoreSlotRequest; readonly result: SlotResult }
}
