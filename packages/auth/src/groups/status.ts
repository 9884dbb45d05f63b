import type { Group } from '../ports/groups.ts'

/** A group with the number of its members. */
export interface GroupStatus extends Group {
  readonly members: number
}
