/**
 * Groups of accounts, which give their members rights and have budgets of their own.
 *
 * @module
 */

export type { GroupDraft } from './draft.ts'
export type { GroupMember, Groups } from './groups.ts'
export type { ImportFault, ImportResult } from './import.ts'
export type { GroupStatus } from './status.ts'
